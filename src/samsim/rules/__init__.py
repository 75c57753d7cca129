"""What is decided: pure functions without I/O, clock or randomness."""
