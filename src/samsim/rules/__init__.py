"""The decision rules: pure functions without I/O, clock or randomness."""
