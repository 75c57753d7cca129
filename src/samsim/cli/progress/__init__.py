"""Progress output while a command is running."""
