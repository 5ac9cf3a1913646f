"""The structures of Dagmar as schemes, with options: soft labels, kernel, scaling, and machines."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, QuantileTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from dagmar import SVCCV, PairwiseClassifier
from dagmar.structures import STRUCTURES

from .scheme import FOLDS, Kind, Scheme, Trial

BASES: dict[str, tuple[str, Callable[[Trial], Any], dict[str, Sequence[Any]]]] = {
    "logistic": (
        "logistic regressions",
        lambda trial: LogisticRegression(max_iter=1000),
        {"C": (0.01, 0.1, 1.0, 10.0, 100.0)},
    ),
    "perceptron": (
        "perceptrons",
        lambda trial: Perceptron(penalty="l2", random_state=trial.seed),
        {"alpha": (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)},
    ),
    "tree": (
        "decision trees",
        lambda trial: DecisionTreeClassifier(random_state=trial.seed),
        {"min_samples_leaf": (1, 2, 5, 10, 20)},
    ),
}
SCALERS: dict[str, tuple[str, Any]] = {
    "minmax": ("features scaled to [0, 1]", MinMaxScaler()),
    "ranks": (
        "ranks of features, as normal values",
        QuantileTransformer(n_quantiles=50, output_distribution="normal"),
    ),
    "unscaled": ("features not scaled", None),
}
GROUPED = ("fisher_tree", "centered_tree")  # structures whose machines can divide groups of classes
OPTIONS = (
    "softK (soft labels of K neighbours), linear (kernel), groups (machines between groups of classes, for "
    f"{' and '.join(GROUPED)}), {', '.join(SCALERS)} (scaling); or one of {', '.join(BASES)} (machines)"
)


def structured(name: str) -> Scheme:
    """The scheme of a name such as "ddag", "fisher_tree+soft11", "ddag+logistic" or "fisher_tree+groups"."""
    structure, *options = name.split("+")
    if structure not in STRUCTURES:
        raise KeyError(name)
    given: dict[str, Any] = {"structure": structure, "scaler": StandardScaler()}
    words = [f"structure {structure!r}"]
    for option in options:
        soft = re.fullmatch(r"soft([1-9]\d*)", option)
        if soft:
            given["soft_labels"] = int(soft[1])
            words.append(f"soft labels of {soft[1]} neighbours")
        elif option == "linear":
            given["kernel"] = "linear"
            words.append("linear kernel")
        elif option in SCALERS:
            explained, given["scaler"] = SCALERS[option]
            words.append(explained)
        elif option == "groups" and structure in GROUPED:
            given["structure"] = STRUCTURES[structure](machines="groups")
            words.append("machines between groups of classes")
        elif option in BASES and len(options) == 1:
            machines, estimator, cells = BASES[option]
            return Scheme(
                name,
                Kind.STRUCTURE,
                f"{words[0]}, machines are {machines}",
                partial(_pairs, structure, estimator, cells),
            )
        else:
            raise KeyError(name)
    return Scheme(name, Kind.STRUCTURE, ", ".join(words), partial(_searched, given))


def _searched(given: dict[str, Any], trial: Trial) -> SVCCV:
    return SVCCV(search="adaptive", cv=trial.folds(FOLDS), n_jobs=trial.threads, **given)


def _pairs(
    structure: str, estimator: Callable[[Trial], Any], cells: dict[str, Sequence[Any]], trial: Trial
) -> GridSearchCV:
    pairs = PairwiseClassifier(estimator(trial), structure=structure, n_jobs=trial.threads)
    grid = {f"pairwiseclassifier__estimator__{key}": list(values) for key, values in cells.items()}
    return GridSearchCV(make_pipeline(StandardScaler(), pairs), grid, cv=trial.folds(FOLDS))
