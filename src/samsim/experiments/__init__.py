"""Experiments: the configuration, the runs, and the files they write."""
