"""The analysis of one sample, from its text to its result."""
