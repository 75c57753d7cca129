"""What a run shows while it is under way."""
