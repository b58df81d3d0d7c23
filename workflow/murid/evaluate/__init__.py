"""Evaluate: what each method got right in the annotated frames (Sect. 5.3).

``segment`` compares one segment's identities with its annotations; ``cage`` joins the segments of a
cage into counts, of which any report is a sum.
"""
