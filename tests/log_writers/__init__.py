"""Antenna logs as the systems themselves write them, made without a look at murid's readers.

One module a system. Each was written from what is public about the system (its own source, code
and data of others who read it), not from how murid reads it, so that a reader and a writer that
agree do so because both know the form, and not because one was made from the other. A module's
docstring names its sources and says what of the form is certain and what is not.

``write(folder, reads, zone)`` of a module writes the log of one cage into a folder and returns
its files.

``reads``
    A frame, in the order of time: ``time`` (datetime64[ns, UTC]), ``tag`` (str), ``antenna``
    (int, from 1), and, if visits end, ``end`` (as ``time``).
``zone``
    The IANA name of the zone by which the computer's clock on the wall goes.
``RESOLUTION``
    How finely the system tells the time, in milliseconds: it can only give back times that it can
    write.
"""
