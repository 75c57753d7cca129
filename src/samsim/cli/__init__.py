"""The command line: thin shells around the library."""
