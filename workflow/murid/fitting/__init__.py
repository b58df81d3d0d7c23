"""Fitting to annotated segments: a box given an antenna (Sect. 4.3, App. C.3), and paths."""
