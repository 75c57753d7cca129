"""The tables of a report: what they hold, and how they are written."""
