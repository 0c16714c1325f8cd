"""The managed nodes: convert, call, convert, publish."""
