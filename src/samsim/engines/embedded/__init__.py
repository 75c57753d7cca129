"""The embedded engine: deterministic linguistic analysis, no model download, no network."""
