"""HTTP requests: sending them, keeping secrets out of records, and forbidding them altogether."""
