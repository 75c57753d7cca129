"""What the other commands print: tables and summaries."""
