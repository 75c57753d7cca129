"""Experiments: one configuration, its runs, and what they leave behind."""
