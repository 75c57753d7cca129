"""The tables of a report: their content and their formats."""
