"""What a hidden animal weighs: how probable it is that one has no box, given antenna and context.

The distribution of visibility (Sect. 4.3) is tabulated over every antenna and context that can
occur; :mod:`murid.fitting.visibility` fits it.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from murid.errors import InputError
from murid.models import made_for
from murid.models.stored import nested

SHOWN = ("clear", "truncated")
"""Visibilities of an animal that has a box, in the order of the model's arrays."""
OUTCOMES = (*SHOWN, "hidden")
"""Visibilities that the tabulated distribution covers, in the order of its columns."""

_Count = Annotated[int, Field(ge=0, le=4_096)]
_Chance = Annotated[float, Field(gt=0, le=1)]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Hidden:
    """How visible animals are.

    Attributes
    ----------
    animals
        Most animals a cage may have for the table to cover every context.
    contexts
        (k, 10) int64, antenna and the counts in its nine cells; every combination that can occur.
    visibility
        (k, 3), probability of clear, truncated, hidden for each row of ``contexts``.
    hidden_share
        Share of hidden animals in the annotations; used where an animal has no reading.
    """

    animals: int
    contexts: Annotated[NDArray[np.int64], nested(_Count, 2, np.int64)]
    visibility: Annotated[Floats, nested(_Chance, 2)]
    hidden_share: Annotated[float, Field(gt=0, lt=1)]

    def log_hidden(self, antennas: ArrayLike, contexts: ArrayLike) -> Floats:
        """Return log p(hidden | antenna, context), a hidden tracklet's weight a frame: (n,)."""
        antennas = np.asarray(antennas, dtype=np.int64)
        read = antennas > 0
        result = np.full(len(antennas), self.hidden_share)
        if read.any():
            chances = self.visibility_of(antennas[read], np.asarray(contexts)[read])
            result[read] = chances[:, OUTCOMES.index("hidden")]
        with np.errstate(divide="ignore"):
            return np.log(result)

    def visibility_of(self, antennas: ArrayLike, contexts: ArrayLike) -> Floats:
        """Look up the visibility's distribution p(v | p, c): (n,), (n, 9) -> (n, 3).

        Raises
        ------
        InputError
            If a combination is not tabulated: more animals than the model was fitted for.
        """
        wanted = self._code(antennas, contexts)
        tabulated = self._code(self.contexts[:, 0], self.contexts[:, 1:])
        order = np.argsort(tabulated)
        place = np.searchsorted(tabulated, wanted, sorter=order)
        rows = order[np.minimum(place, len(tabulated) - 1)]
        if not np.array_equal(tabulated[rows], wanted):
            raise InputError(
                "weights", f"a context of more than {self.animals} animals", "at most that many",
                remedy=made_for.remedy("weights"),
            )  # fmt: skip
        return self.visibility[rows]

    def _code(self, antennas: ArrayLike, contexts: ArrayLike) -> NDArray[np.int64]:
        """Number antennas with their contexts: (n,), (n, 9) -> (n,), each its own."""
        base = max(self.animals, 2)
        codes = np.asarray(antennas, dtype=np.int64)
        for counts in np.asarray(contexts).T:
            codes = codes * (base + 1) + np.minimum(counts, base).astype(np.int64)
        return codes
