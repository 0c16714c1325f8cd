"""The writing path: camera frames to windows, captions and stored memories."""
