"""Naming tracklets: which animal each one is, for every frame of a segment (Sect. 3.2, 5.2)."""
