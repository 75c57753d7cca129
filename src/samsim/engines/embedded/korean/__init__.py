"""The Korean extractors of the embedded engine."""
