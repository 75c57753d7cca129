"""The English extractors of the embedded engine."""
