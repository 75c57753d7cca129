"""Samples and gold; only ``samsim.data.gold`` gives access to gold."""
