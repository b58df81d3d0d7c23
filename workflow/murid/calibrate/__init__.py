"""Bringing every rig set-up into one frame of reference (Sect. 5.1, Pre-processing; Appendix A.1).

The same points are marked in the image of every set-up, one an antenna. Transforms of several kinds
are fitted to the odd points by least squares and judged by the even ones; the frame of reference
(the prototype) is the set-up to which all others map best.
"""
