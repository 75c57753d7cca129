"""Samples and gold; gold is reachable through ``samsim.data.gold`` only."""
