"""Fitting the model of a box given an antenna to annotated segments (Sect. 4.3, Appendix C.3)."""
