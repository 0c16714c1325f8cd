"""The `remembr` command."""
