"""Ways to predict an animal's visibility from its antenna and its context (Appendix C.3).

Since the visibility is summed over when a box is weighed, what counts is the probability given to
the visibility that was annotated, so predictors are compared by log-likelihood on held-out samples.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold
from sklearn.naive_bayes import CategoricalNB
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier

from murid.errors import InputError
from murid.fitting.samples import CONTEXT
from murid.grid import Antennas
from murid.models.hidden import OUTCOMES
from murid.settings import FitWeights

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Folds = list[tuple[Ints, Ints]]

FLOOR = 1e-3
"""No outcome is given less, as in the weights, lest one sample of a kind never seen decides."""
BY_CAGE, MIXED = "by_cage", "mixed"
"""Folds of whole cages, and folds of samples of all cages."""
FEWEST_CAGES = 3
"""Cages below which a fold of whole cages leaves too little to fit to."""


@dataclass(frozen=True)
class Candidate:
    """A predictor with its parameters; ``encoding`` is what it sees, a key of :func:`encode`."""

    predictor: str
    encoding: str
    model: ClassifierMixin
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def new_model(self) -> ClassifierMixin:
        """Return a predictor with the parameters that has not been fitted."""
        return clone(self.model).set_params(**self.parameters)


def encode(samples: pd.DataFrame, grid: Antennas) -> dict[str, Floats]:
    """Return what predictors see of the samples, each (n, k): the antenna, then nine counts.

    ``grid``: antenna row and column as numbers, as the forest of the weights sees them;
    ``categories``: the antenna's number from 0; ``antenna``: that alone; ``one_hot``: a column an
    antenna.
    """
    antennas = samples["antenna"].to_numpy(dtype=np.int64)
    counts = samples[CONTEXT].to_numpy(dtype=np.float64)
    number = (antennas - 1)[:, None].astype(np.float64)
    return {
        "grid": np.column_stack([grid.coordinates(antennas)[:, ::-1], counts]),
        "categories": np.column_stack([number, counts]),
        "antenna": number,
        "one_hot": np.column_stack([np.eye(grid.size)[antennas - 1], counts]),
    }


def forest_in_use(settings: FitWeights) -> dict[str, Any]:
    """Return the parameters of the weights' forest."""
    return {
        "n_estimators": settings.trees,
        "max_depth": settings.max_depth,
        "min_samples_split": settings.min_samples_split,
        "min_samples_leaf": settings.min_samples_leaf,
    }


def described(parameters: Mapping[str, Any]) -> str:
    """Write parameters in one line, as in the results."""
    return ", ".join(f"{name}={value}" for name, value in parameters.items())


def candidates(settings: FitWeights, encoded: Mapping[str, Floats]) -> list[Candidate]:
    """List what is compared: two yardsticks, then five kinds of predictor over a small grid each.

    Parameters
    ----------
    settings
        The forest of the pipeline, which is one of the candidates.
    encoded
        As :func:`encode` gives, of all samples, which tells how many levels a category has.
    """
    seed, forest = settings.seed, forest_in_use(settings)
    levels = {name: seen.max(axis=0).astype(np.int64) + 1 for name, seen in encoded.items()}
    by_antenna = CategoricalNB(min_categories=levels["antenna"])
    logistic = LogisticRegression(max_iter=2000)
    bayes = CategoricalNB(min_categories=levels["categories"])
    tree = DecisionTreeClassifier(random_state=seed)
    trees = RandomForestClassifier(random_state=seed)
    network = MLPClassifier(solver="lbfgs", max_iter=500, random_state=seed)
    return [
        Candidate("shares", "antenna", DummyClassifier(strategy="prior")),
        Candidate("antenna_shares", "antenna", by_antenna, {"alpha": 1.0}),
        *[
            Candidate("logistic_regression", "one_hot", logistic, {"C": strength})
            for strength in (0.03, 0.3, 3.0)
        ],
        *[Candidate("naive_bayes", "categories", bayes, {"alpha": alpha}) for alpha in (1.0, 10.0)],
        *[
            Candidate("decision_tree", "grid", tree, {"max_depth": 12, "min_samples_leaf": leaf})
            for leaf in (20, 50, 100)
        ],
        *[
            Candidate("random_forest", "grid", trees, forest | {"min_samples_leaf": leaf})
            for leaf in dict.fromkeys((settings.min_samples_leaf, 10, 30))
        ],
        *[
            Candidate(
                "neural_network", "one_hot", network,
                {"hidden_layer_sizes": (16, 16), "alpha": alpha},
            )
            for alpha in (3.0, 30.0, 100.0)
        ],
    ]  # fmt: skip


def split(samples: pd.DataFrame, folds: int, seed: int) -> dict[str, Folds]:
    """Return the folds of the cross-validation: by cage where there are enough, and mixed.

    Samples seconds apart are alike, so that mixed folds, as in the paper, flatter predictors that
    remember; whole cages tell what to expect of a new one.

    Returns
    -------
    ``(fitted, judged)`` row numbers of each fold.

    Raises
    ------
    InputError
        If there are fewer samples than folds.
    """
    if len(samples) < folds:
        raise InputError(
            "annotations", f"{len(samples)} animals whose visibility is certain",
            f"at least {folds}", remedy="Annotate more frames of Train and Validate.",
        )  # fmt: skip
    kinds = {}
    cages = samples["cage"].to_numpy()
    number = len(np.unique(cages))
    if number >= FEWEST_CAGES:
        kinds[BY_CAGE] = list(GroupKFold(min(folds, number)).split(cages, groups=cages))
    kinds[MIXED] = list(KFold(folds, shuffle=True, random_state=seed).split(cages))
    return kinds


def log_likelihood(
    candidate: Candidate, seen: Floats, shown: Ints, folds: Folds
) -> tuple[Floats, Ints]:
    """Cross-validate one candidate.

    Parameters
    ----------
    candidate
        What is fitted anew in every fold.
    seen
        (n, k), its encoding of the samples.
    shown
        (n,), index of each sample's visibility in ``affinity.OUTCOMES``.
    folds
        Row numbers to fit to and to judge on.

    Returns
    -------
    Mean natural log-probability of the judged samples of each fold, and their number.
    """
    means, sizes = [], []
    for fitted, judged in folds:
        # Where all are alike, there is nothing to tell apart, which most predictors refuse.
        alike = len(np.unique(shown[fitted])) < 2
        model = DummyClassifier() if alike else candidate.new_model()
        with warnings.catch_warnings():
            # A network that has not quite settled is judged as it is.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(seen[fitted], shown[fitted])
        chances = np.zeros((len(judged), len(OUTCOMES)))
        chances[:, model.classes_] = model.predict_proba(seen[judged])
        chances = np.maximum(chances, FLOOR)
        chances /= chances.sum(axis=1, keepdims=True)
        means.append(np.log(chances[np.arange(len(judged)), shown[judged]]).mean())
        sizes.append(len(judged))
    return np.array(means), np.array(sizes)


def compare(samples: pd.DataFrame, grid: Antennas, forest: FitWeights, folds: int) -> pd.DataFrame:
    """Compare predictors of the visibility by cross-validated log-likelihood.

    Parameters
    ----------
    samples
        As :func:`murid.fitting.samples.collect` gives, with a column ``cage``; marginal ones are
        left out.
    grid
        The antenna grid.
    forest
        The forest of the pipeline; its seed serves all of them, and the mixed folds.
    folds
        Number of folds of the cross-validation.

    Returns
    -------
    One row a candidate, kind of folds and fold: ``predictor, parameters, folds`` (``by_cage`` or
    ``mixed``), ``fold, samples, log_likelihood`` (mean natural logarithm a sample), ``chosen``
    (whether these parameters are the predictor's best for this kind of folds).
    """
    usable = samples[samples["visibility"].isin(OUTCOMES)].reset_index(drop=True)
    shown = usable["visibility"].map(OUTCOMES.index).to_numpy(dtype=np.int64)
    kinds = split(usable, folds, forest.seed)
    encoded = encode(usable, grid)
    parts = []
    for kind, pairs in kinds.items():
        for candidate in candidates(forest, encoded):
            means, sizes = log_likelihood(candidate, encoded[candidate.encoding], shown, pairs)
            part = pd.DataFrame({"fold": np.arange(len(pairs)), "samples": sizes})
            part.insert(0, "predictor", candidate.predictor)
            part.insert(1, "parameters", described(candidate.parameters))
            part.insert(2, "folds", kind)
            part["log_likelihood"], part["overall"] = means, np.average(means, weights=sizes)
            parts.append(part)
    table = pd.concat(parts, ignore_index=True)
    keys = ["folds", "predictor"]
    best = table[table["overall"] == table.groupby(keys)["overall"].transform("max")]
    # Of parameters that are equally good, the first.
    first = best.drop_duplicates(keys)[[*keys, "parameters"]].assign(chosen=True)
    table = table.merge(first, how="left", on=[*keys, "parameters"])
    return table.assign(chosen=table["chosen"].notna()).drop(columns="overall")
