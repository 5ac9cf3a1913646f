"""The schemes that can be compared, by name, each with its own tuning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, ParameterGrid
from sklearn.multiclass import OneVsRestClassifier, OutputCodeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as ScikitLearnSVC

from dagmar import SVC, SVCCV, InvalidParameterError
from dagmar.structures import STRUCTURES

from ..crammer_singer import CrammerSinger
from .rotation import Rotation
from .scheme import FEWER_FOLDS, FOLDS, Kind, Scheme, Trial
from .structured import structured
from .timed import TimedSearch

# Cells for kernel schemes that `SVCCV` cannot tune. It tries at most 17 cells of its default grid; these are 15 of the same
# range. Gammas are multiples of 1 / n_features, which is "scale" for standardised features.
CS, AROUND_SCALE = (1.0, 4.0, 16.0, 64.0, 256.0), (0.25, 1.0, 4.0)
# Nine cells over three folds for Crammer & Singer: with C = 64, one fit to 1000 noisy rows takes half a minute. Ten times the
# default tol: on four sets and four cells the accuracy moved by at most 0.21 points, up or down, in two fifths of the time.
DIRECT_CS, DIRECT_TOL = (1.0, 4.0, 16.0), 1e-2


# ------------------------------------------------------- other schemes, same kernel


def _kernel_grid(
    estimator: Any, trial: Trial, inner: str = "", Cs: Sequence[float] = CS, folds: int = FOLDS
) -> GridSearchCV:
    pipeline = make_pipeline(StandardScaler(), estimator)
    step = f"{pipeline.steps[-1][0]}__{inner}"
    gammas = [factor / trial.n_features for factor in AROUND_SCALE]
    return GridSearchCV(pipeline, {f"{step}C": list(Cs), f"{step}gamma": gammas}, cv=trial.folds(folds))


def _one_vs_rest(trial: Trial) -> GridSearchCV:
    return _kernel_grid(OneVsRestClassifier(SVC(n_jobs=trial.threads)), trial, "estimator__")


def _output_codes(trial: Trial) -> GridSearchCV:
    codes = OutputCodeClassifier(SVC(n_jobs=trial.threads), code_size=1.5, random_state=trial.seed)
    return _kernel_grid(codes, trial, "estimator__")


def _crammer_singer(trial: Trial) -> GridSearchCV:
    machine = CrammerSinger(tol=DIRECT_TOL, random_state=trial.seed)
    return _kernel_grid(machine, trial, Cs=DIRECT_CS, folds=FEWER_FOLDS)


def _scikit_learn_svc(trial: Trial) -> GridSearchCV:
    return _kernel_grid(ScikitLearnSVC(), trial)


# ------------------------------------------------------ what people would use instead


def _ten_cells(estimator: Any, trial: Trial, scaled: bool = False, **cells: Sequence[Any]) -> GridSearchCV:
    pipeline = make_pipeline(StandardScaler(), estimator) if scaled else make_pipeline(estimator)
    grid = {f"{pipeline.steps[-1][0]}__{key}": list(values) for key, values in cells.items()}
    return GridSearchCV(pipeline, grid, cv=trial.folds(FEWER_FOLDS))


def _boosting(trial: Trial) -> GridSearchCV:
    # A leaf of at least 20 rows, the default, is too much for classes of ten rows.
    estimator = HistGradientBoostingClassifier(early_stopping=False, random_state=trial.seed)
    return _ten_cells(estimator, trial, learning_rate=(0.05, 0.1, 0.15, 0.2, 0.3), min_samples_leaf=(5, 20))


def _forest(trial: Trial, of: Callable[..., Any]) -> GridSearchCV:
    estimator = of(n_jobs=trial.threads, random_state=trial.seed)
    return _ten_cells(estimator, trial, max_features=("sqrt", "log2", 0.25, 0.5, 1.0), min_samples_leaf=(1, 3))


def _rotated_forest(trial: Trial) -> GridSearchCV:
    search = _forest(trial, RandomForestClassifier)
    return search.set_params(estimator=make_pipeline(StandardScaler(), Rotation(trial.seed), search.estimator[-1]))


def _neighbours(trial: Trial) -> GridSearchCV:
    estimator = KNeighborsClassifier(n_jobs=trial.threads)
    return _ten_cells(estimator, trial, True, n_neighbors=(1, 3, 5, 9, 15), weights=("uniform", "distance"))


def _logistic(trial: Trial) -> GridSearchCV:
    Cs = [float(f"{C:.4g}") for C in np.geomspace(1e-3, 1e3, 10)]
    return _ten_cells(LogisticRegression(max_iter=1000), trial, True, C=Cs)


# -------------------------------------------- defaults, and as long as the search of a table

# The trees with their defaults, and what may be tried when there is time. A leaf of at least 20 rows, the default of boosting,
# is too much for classes of ten rows.
TREES: dict[str, tuple[str, Callable[..., Any], dict[str, Sequence[Any]]]] = {
    "forest": (
        "random forest",
        RandomForestClassifier,
        {"n_estimators": (300,), "max_features": ("sqrt", 0.25, 0.5, 1.0), "min_samples_leaf": (1, 3)},
    ),
    "extra_trees": (
        "extremely randomised trees",
        ExtraTreesClassifier,
        {"n_estimators": (300,), "max_features": ("sqrt", 0.25, 0.5, 1.0), "min_samples_leaf": (1, 3)},
    ),
    "boosting": (
        "gradient boosting",
        HistGradientBoostingClassifier,
        {"learning_rate": (0.05, 0.1, 0.2), "min_samples_leaf": (5, 20), "max_leaf_nodes": (15, 31)},
    ),
}
TABLE_SEARCH = "auto"  # the scheme whose time others may take


def _tree(name: str, trial: Trial, **given: Any) -> Any:
    of = TREES[name][1]
    threads = {} if of is HistGradientBoostingClassifier else {"n_jobs": trial.threads}
    return of(random_state=trial.seed, **threads, **given)


def _by_default(trial: Trial, name: str, **given: Any) -> TimedSearch:
    return TimedSearch(_tree(name, trial, **given), [{}], trial.folds(FEWER_FOLDS), seconds=0.0)


def _as_long(trial: Trial, name: str) -> TimedSearch:
    cells = list(ParameterGrid({key: list(values) for key, values in TREES[name][2].items()}))
    order = np.random.default_rng(trial.seed).permutation(len(cells))  # as in a random search
    tried = [{}, *(cells[i] for i in order)]
    return TimedSearch(_tree(name, trial), tried, trial.folds(FEWER_FOLDS), trial.seconds)


def _table_search(trial: Trial) -> SVCCV:
    return SVCCV(search="auto", cv=trial.folds(FOLDS), n_jobs=trial.threads)


OTHERS = {
    scheme.name: scheme
    for scheme in (
        Scheme("sklearn_svc", Kind.OUTSIDE, "scikit-learn's SVC, one-vs-one", _scikit_learn_svc),
        Scheme("sklearn_one_vs_rest", Kind.OUTSIDE, "scikit-learn's one-vs-rest of kernel machines", _one_vs_rest),
        Scheme("output_codes", Kind.OUTSIDE, "scikit-learn's output codes, 1.5 machines per class", _output_codes),
        Scheme("crammer_singer", Kind.OUTSIDE, "Crammer & Singer, one problem for all classes", _crammer_singer),
        Scheme("boosting", Kind.INSTEAD, "gradient boosting of trees by histograms", _boosting),
        Scheme("forest", Kind.INSTEAD, "random forest", partial(_forest, of=RandomForestClassifier)),
        Scheme("extra_trees", Kind.INSTEAD, "extremely randomised trees", partial(_forest, of=ExtraTreesClassifier)),
        Scheme("neighbours", Kind.INSTEAD, "nearest neighbours", _neighbours),
        Scheme("logistic", Kind.INSTEAD, "logistic regression", _logistic),
        Scheme("rotated_forest", Kind.PROBE, "random forest on rotated features", _rotated_forest, explains="forest"),
    )
}
# For `make bench-tables`: the search of a table, and trees with defaults and with as much time.
FOR_TABLES = {
    scheme.name: scheme
    for scheme in (
        Scheme(TABLE_SEARCH, Kind.STRUCTURE, "SVCCV(search='auto')", _table_search),
        *(
            Scheme(f"{name}_default", Kind.INSTEAD, f"{words}, defaults", partial(_by_default, name=name))
            for name, (words, _, _) in TREES.items()
        ),
        Scheme(
            "forest_300",
            Kind.INSTEAD,
            "random forest of 300 trees",
            partial(_by_default, name="forest", n_estimators=300),
        ),
        *(
            Scheme(
                f"{name}_timed",
                Kind.INSTEAD,
                f"{words}, tuned as long as `{TABLE_SEARCH}` takes",
                partial(_as_long, name=name),
                as_long_as=TABLE_SEARCH,
            )
            for name, (words, _, _) in TREES.items()
        ),
    )
}
# The most telling first: a run that is stopped early still answers the first questions.
DEFAULT = (
    "max_wins",
    "forest",
    "boosting",
    "extra_trees",
    "neighbours",
    "logistic",
    "one_vs_rest",
    "ddag",
    "adaptive_ddag",
    "bracket",
    "divide_and_conquer",
    "fisher_tree",
    "centered_tree",
    "and_gate",
    "sklearn_svc",
    "sklearn_one_vs_rest",
    "output_codes",
    "crammer_singer",
    "fisher_tree+groups",
    "fisher_tree+soft11",
    "max_wins+soft11",
    "max_wins+linear",
    "max_wins+ranks",
    "max_wins+logistic",
    "rotated_forest",
)


def scheme_of(name: str) -> Scheme:
    """Return the scheme of a name.

    Parameters
    ----------
    name : str
        One of `OTHERS` or `FOR_TABLES`, or a structure with options: "ddag", "fisher_tree+soft11", "ddag+logistic".

    Returns
    -------
    Scheme

    Raises
    ------
    InvalidParameterError
        If there is no such scheme.

    Examples
    --------
    >>> from experiments.compare.schemes import scheme_of
    >>> scheme_of("fisher_tree+soft11").words
    "structure 'fisher_tree', soft labels of 11 neighbours"
    """
    if name in OTHERS or name in FOR_TABLES:
        return OTHERS[name] if name in OTHERS else FOR_TABLES[name]
    try:
        return structured(name)
    except KeyError:
        near = get_close_matches(name, (*DEFAULT, *FOR_TABLES, *STRUCTURES), n=2, cutoff=0.5)
        hint = f" (did you mean {' or '.join(near)}?)" if near else ""
        raise InvalidParameterError(f"there is no scheme {name!r}{hint}; --list-schemes names all") from None
