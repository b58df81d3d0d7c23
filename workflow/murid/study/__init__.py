"""Studies: what the settings rest on, measured on one's own archive (Appendix C.2, C.3).

They compare whole chains of stages, so this room may import any other; none imports it. Each page
is one module, ``weights``, ``tracker`` or ``identify``, which makes a
:class:`~murid.study.pages.Page`; what is measured for it stands in the others.
"""
