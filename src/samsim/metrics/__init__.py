"""What a result is worth: every measure defined once, as a pure function."""
