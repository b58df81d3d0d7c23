"""The pages of the studies, laid out by templates; they need no network and no other file.

Apart from what they show, so that another layout does not make anybody measure again.
"""
