"""Engines: the interface that agents call, and the models and rules that implement it."""
