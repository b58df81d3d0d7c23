"""murid: who is who in a cage of identical animals.

The rooms follow the data: ``archive`` reads what comes in and judges it, ``calibrate`` brings the
rigs into one frame of reference, ``detect`` finds the animals, ``track`` links them, ``weights``
models a box given an antenna, ``identify`` names the tracklets, ``evaluate`` counts, ``report``
shows. Stages meet only at tables, whose contracts are :mod:`murid.schemas`.
"""

__version__ = "0.1.0"
