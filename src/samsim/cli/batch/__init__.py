"""The analysis of a whole file of reviews."""
