"""Studies: what the settings rest on, measured on one's own archive (Appendix C.2, C.3).

They compare whole chains of stages, so this room may import any other; none imports it.
"""
