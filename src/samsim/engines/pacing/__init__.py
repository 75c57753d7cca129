"""Pacing: how many calls to make at once, how long to wait for one, and what to do while a server is down."""
