"""murid: who is who in a cage of identical animals.

The rooms follow the data: ``archive`` reads what comes in and judges it, ``calibrate`` brings the
rigs into one frame of reference, ``detect`` finds the animals, ``tracking`` links them, ``fitting``
learns what the ``models`` hold of annotated segments, ``identify`` names the tracklets,
``evaluate`` counts, ``report`` shows. Stages meet only at tables, whose contracts are
:mod:`murid.schemas`; ``run`` plans them and looks after their jobs.
"""

__version__ = "0.1.0"
