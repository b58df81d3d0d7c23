"""The assignment of least cost, by the Hungarian algorithm, of SciPy.

Stages of a segment need no more of ``scipy.optimize`` than this, which is one library of its own,
and take 0.3 s of computing to load all else of it.
"""

from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]
_NAME = "_lsap"


def _loaded() -> Callable[..., Pairs]:
    """Return SciPy's function, without the package around it where its library is found."""
    scipy = find_spec("scipy")
    for folder in (scipy and scipy.submodule_search_locations) or ():
        for suffix in EXTENSION_SUFFIXES:
            path = str(Path(folder, "optimize", _NAME + suffix))
            spec = spec_from_file_location(_NAME, path, loader=ExtensionFileLoader(_NAME, path))
            if Path(path).is_file() and spec and spec.loader:
                library = module_from_spec(spec)
                spec.loader.exec_module(library)
                alone: Callable[..., Pairs] = library.linear_sum_assignment
                return alone
    from scipy import optimize

    whole: Callable[..., Pairs] = optimize.linear_sum_assignment
    return whole


_solve: Any = _loaded()


def linear_sum_assignment(costs: NDArray[np.float64], maximize: bool = False) -> Pairs:
    """Pair rows with columns so that the sum of their costs is the least: (n, m) -> indices.

    Parameters
    ----------
    costs
        Of each pair; no NaN.
    maximize
        Whether the sum is to be the greatest.

    Returns
    -------
    Rows, ascending, and the column of each; as many as there are of the fewer.

    Examples
    --------
    >>> linear_sum_assignment(np.array([[4.0, 1.0], [2.0, 0.0], [3.0, 2.0]]))
    (array([0, 1]), array([1, 0]))
    """
    pairs: Pairs = _solve(costs, maximize=maximize)
    return pairs
