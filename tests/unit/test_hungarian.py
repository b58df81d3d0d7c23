import importlib.util
import subprocess
import sys
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from murid import hungarian
from murid.hungarian import linear_sum_assignment

SMALL = array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=5)
COSTS = arrays(np.float64, SMALL, elements=st.integers(-3, 3).map(float))


@given(COSTS, st.booleans())
def test_no_other_pairs_are_better(costs: NDArray[np.float64], maximize: bool) -> None:
    rows, columns = linear_sum_assignment(costs, maximize)
    fewer, more = sorted(costs.shape)
    assert len(rows) == len({*rows}) == len({*columns}) == fewer
    assert [*rows] == sorted(rows)
    wide = costs if costs.shape == (fewer, more) else costs.T
    sums = [sum(wide[[*range(fewer)], order]) for order in permutations(range(more), fewer)]
    assert costs[rows, columns].sum() == (max if maximize else min)(sums)


@given(COSTS, st.booleans())
def test_of_equals_it_takes_those_that_scipy_takes(
    costs: NDArray[np.float64], maximize: bool
) -> None:
    from scipy import optimize

    expected = optimize.linear_sum_assignment(costs, maximize)
    for ours, theirs in zip(linear_sum_assignment(costs, maximize), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_where_the_library_is_elsewhere_scipy_is_asked_as_a_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from scipy import optimize

    monkeypatch.setattr(hungarian, "find_spec", lambda name: importlib.util.find_spec("json"))
    assert hungarian._loaded() is optimize.linear_sum_assignment


def test_the_package_around_it_is_not_loaded() -> None:
    code = "import sys, murid.hungarian; print([m for m in sys.modules if m.startswith('scipy')])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "[]\n"
