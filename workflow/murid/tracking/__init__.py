"""Detections linked into tracklets, or those of another tool; and the visual tracker to compare."""
