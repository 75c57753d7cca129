"""Tables and summaries that the other commands print."""
