"""Clocks: by how much the readings of a segment run late, by itself and by lines over days."""
