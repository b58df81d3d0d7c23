"""Frames worth annotating are picked, and written as pictures with projects to annotate them in."""
