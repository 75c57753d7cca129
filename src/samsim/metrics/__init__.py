"""Evaluation: every measure defined once, as a pure function."""
