"""Schemas of answers, and reading and judging what a model wrote."""
