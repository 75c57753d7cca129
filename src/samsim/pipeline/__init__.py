"""One sample's way from a text to a result."""
