"""Servers on loopback that engines are tested against: a real model, and one that misbehaves on purpose."""
