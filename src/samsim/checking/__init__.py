"""Checks before something is run or shared: whether engines can be reached, and whether a store leaks a text."""
