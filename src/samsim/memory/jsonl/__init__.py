"""The default store: a JSONL log, its journal and its index."""
