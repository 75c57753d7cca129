"""A file of reviews, analysed from its first row to its last."""
