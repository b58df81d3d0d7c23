"""A lab's folder becomes a sample sheet: files are told apart by patterns of their paths."""
