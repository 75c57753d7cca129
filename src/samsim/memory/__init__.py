"""Episodic memory: what past samples taught about risk and review, without their text and without gold."""
