"""The kinds of call that `calls` compares: which parameters, which samples, and what is asked of the fitted model."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import StratifiedKFold, cross_val_score

from .cases import Case, Samples
from .census_sets import SETS, of_folder
from .competitors import Competitor, Dagmar, Intelex, Predictor, ScikitLearn
from .goals import GroupGoal

C = 10.0
MAX_ROWS = 2000  # in both parts together
FEW_ROWS = 1200  # for calls that take the peers long
MANY_ROWS = 5000  # for two classes, which are a part of most sets
ONE_ROW_CALLS = 100
FOLDS = 5
# Names of what is timed, which are also those of the laps of a race.
FIT, FIRST, NEXT = "fit", "first", "later"

WIDE = ("mnist", "cnae-9", "faces-5", "faces-38")
SMALL = ("glass", "wine", "iris", "heart", "zoo")
TEXTS = ("text-12000", "text-20000")
SOME = (
    *("letter", "pendigits", "usps", "mnist", "covertype", "segment", "vowel", "glass", "cnae-9", "leaves-shape"),
    *("first-order-theorem", "spambase", "phoneme", "dermatology"),
)
PAIRS = ("breast_cancer", "spambase", "phoneme", "banana", "ionosphere", "mnist", "usps", "covertype")


def load(name: str, rows: int) -> Case:
    """A set of the census, or any other set of the data folders, prepared in the same way.

    Parameters
    ----------
    name : str
    rows : int
        At most, in both parts together.

    Returns
    -------
    Case

    Raises
    ------
    DataError
        If it cannot be loaded.
    """
    return SETS[name](rows) if name in SETS else of_folder(name, rows)


def as_given(case: Case) -> tuple[Samples, Samples]:
    """The samples of the case."""
    return case.X_train, case.X_test


def kernel_matrices(case: Case) -> tuple[Samples, Samples]:
    """The rbf kernel between training samples, and between test and training samples."""
    train, test = (
        pairwise_kernels(X, case.X_train, metric="rbf", gamma=case.gamma) for X in (case.X_train, case.X_test)
    )
    np.fill_diagonal(train, 1.0)
    return np.maximum(train, train.T), test


def fit(estimator: Any, X: Samples, y: NDArray[np.int64]) -> Any:
    """Fit."""
    return estimator.fit(X, y)


def fit_weighted(estimator: Any, X: Samples, y: NDArray[np.int64]) -> Any:
    """Fit with a weight per sample, from a seed."""
    return estimator.fit(X, y, sample_weight=np.random.default_rng(0).uniform(0.2, 2.0, len(y)))


def score_folds(estimator: Any, X: Samples, y: NDArray[np.int64]) -> NDArray[np.float64]:
    """The accuracy on each of some folds."""
    scores: NDArray[np.float64] = cross_val_score(estimator, X, y, cv=StratifiedKFold(FOLDS))
    return scores


def predict(model: Any, X: Samples) -> Any:
    """Labels of all samples."""
    return model.predict(X)


def predict_one_by_one(model: Any, X: Samples) -> Any:
    """Labels of some samples, each in a call of its own."""
    return np.concatenate([model.predict(X[i : i + 1]) for i in range(min(ONE_ROW_CALLS, X.shape[0]))])


def decision_values(model: Any, X: Samples) -> Any:
    """Values of the classes."""
    return model.decision_function(X)


def probabilities(model: Any, X: Samples) -> Any:
    """Probabilities of the classes."""
    return model.predict_proba(X)


def scores(model: Any, X: Samples) -> Any:
    """The scores of folds, which are there already."""
    return model


class Function:
    """The rbf kernel as a function of the user, with the seconds that were spent in it.

    Attributes
    ----------
    seconds : float
    values : int
        How many kernel values were asked for.
    """

    def __init__(self, gamma: float) -> None:
        self.gamma = gamma
        self.seconds = 0.0
        self.values = 0

    def __call__(self, X: Samples, Z: Samples) -> Samples:
        """Kernel values of X with Z."""
        start = time.perf_counter()
        values = pairwise_kernels(X, Z, metric="rbf", gamma=self.gamma)
        self.seconds += time.perf_counter() - start
        self.values += values.size
        return values


@dataclass(frozen=True)
class Kind:
    """A kind of call.

    Attributes
    ----------
    name : str
    goals : dict of str to GroupGoal or None
        What is timed: "fit", "first" and "later" asking; with the goal, if there is one.
    sets : tuple of str
    rows : int
        At most, of each set.
    kernel : str
        Of the estimators; "function" for a callable that computes rbf.
    more : mapping
        Further parameters of every SVC.
    train, ask : callable
        What is timed: from an estimator and samples to a model, and from a model and samples to answers.
    samples : callable
        The samples of both parts, as everyone is given them.
    against_rest : bool
        Whether every class is trained against all others: by our structure, and by scikit-learn's `OneVsRestClassifier`.
    two_classes : bool
        Whether only the two largest classes of a set are used.
    defaults : bool
        Whether everyone is used with defaults: no parameters, and one thread.
    peers : tuple of type
    """

    name: str
    goals: Mapping[str, GroupGoal | None]
    sets: tuple[str, ...] = SOME
    rows: int = MAX_ROWS
    kernel: str = "rbf"
    more: Mapping[str, Any] = field(default_factory=dict)
    train: Callable[[Any, Samples, NDArray[np.int64]], Any] = fit
    ask: Callable[[Any, Samples], Any] = predict
    samples: Callable[[Case], tuple[Samples, Samples]] = as_given
    against_rest: bool = False
    two_classes: bool = False
    defaults: bool = False
    peers: tuple[str, ...] = (ScikitLearn.name, Intelex.name)

    def case(self, name: str) -> Call:
        """The kind of call on a data set."""
        case = load(name, MANY_ROWS * 3 if self.two_classes else self.rows)
        if self.two_classes:
            case = two_largest(case, self.rows)
        gamma = case.gamma
        if self.defaults:
            gamma = 1.0 / (case.X_train.shape[1] * case.X_train.var())
        elif self.kernel == "sigmoid":
            gamma = 1.0 / case.X_train.shape[1]
        kernel = "rbf" if self.kernel in ("precomputed", "function") else self.kernel
        own = {key: value for key, value in vars(case).items() if key not in ("name", "gamma", "C", "kernel")}
        return Call(**own, name=name, gamma=gamma, C=1.0 if self.defaults else C, kernel=kernel, kind=self)

    def threads(self, threads: int) -> int:
        """How many threads are used of so many."""
        return 1 if self.defaults else threads


def two_largest(case: Case, rows: int) -> Case:
    """The two largest classes of a case, at most so many rows of them.

    Parameters
    ----------
    case : Case
    rows : int
        In both parts together, of which the training part keeps its share.

    Returns
    -------
    Case
        With classes 0 and 1.
    """
    largest = np.sort(np.argsort(-np.bincount(case.y_train), kind="stable")[:2])
    parts = []
    share = len(case.y_train) / (len(case.y_train) + len(case.y_test))
    for X, y, most in (
        (case.X_train, case.y_train, round(share * rows)),
        (case.X_test, case.y_test, round((1 - share) * rows)),
    ):
        kept = np.flatnonzero(np.isin(y, largest))[:most]
        parts += [X[kept], np.searchsorted(largest, y[kept])]
    X_train, y_train, X_test, y_test = parts
    return replace(case, X_train=X_train, y_train=y_train, X_test=X_test, y_test=y_test)


@dataclass(frozen=True, kw_only=True)
class Call(Case):
    """A case with the kind of call that it is for.

    The kernel and gamma are those of the kernel values, also where the estimators are given a matrix or a function.
    """

    kind: Kind

    @cached_property
    def given(self) -> tuple[Samples, Samples]:
        """The samples of both parts, as everyone is given them."""
        return self.kind.samples(self)

    @property
    def parameters(self) -> dict[str, Any]:
        """What every SVC is given."""
        if self.kind.defaults:
            return dict(self.kind.more)
        kernel = Function(self.gamma) if self.kind.kernel == "function" else self.kind.kernel
        return {**super().parameters, "kernel": kernel, **self.kind.more}


class Caller(Competitor):
    """A library that is called in the way of a kind.

    Parameters
    ----------
    case : Call
    threads : int
    """

    case: Call

    def __init__(self, case: Call, threads: int) -> None:
        super().__init__(case, threads)
        self.X_train, self.X_test = case.given

    def estimator(self) -> Any:
        """A new estimator."""
        raise NotImplementedError

    def fit(self) -> Any:
        """Train a new model; timed."""
        return self.case.kind.train(self.estimator(), self.X_train, self.case.y_train)

    def predictors(self, model: Any) -> dict[str, Predictor]:
        """What the kind asks for."""
        return {self.name: lambda: self.case.kind.ask(model, self.X_test)}

    def counts(self, model: Any) -> dict[str, float]:
        """Nothing."""
        return {}


class OurCaller(Caller):
    """`dagmar.SVC`."""

    name = Dagmar.name

    def estimator(self) -> Any:
        """A new estimator."""
        import dagmar

        structure = "one_vs_rest" if self.case.kind.against_rest else "max_wins"
        jobs = None if self.case.kind.defaults else self.threads
        return dagmar.SVC(**self.parameters, structure=structure, n_jobs=jobs)


class PeerCaller(Caller):
    """A peer whose SVC has the parameters of scikit-learn's."""

    def svc(self) -> type[Any]:
        """The class of its SVC."""
        raise NotImplementedError

    def estimator(self) -> Any:
        """A new estimator; against the rest by scikit-learn's own wrapper."""
        from sklearn.multiclass import OneVsRestClassifier

        svc = self.svc()(**self.parameters)
        return OneVsRestClassifier(svc) if self.case.kind.against_rest else svc


class ScikitLearnCaller(PeerCaller):
    """`sklearn.svm.SVC`."""

    name = ScikitLearn.name

    def svc(self) -> type[Any]:
        """The class of its SVC."""
        from sklearn.svm import SVC

        return SVC  # type: ignore[no-any-return]


class IntelexCaller(PeerCaller):
    """`sklearnex.svm.SVC`, on float32, where it is fastest; with defaults, on what everyone is given."""

    name = Intelex.name

    def __init__(self, case: Call, threads: int) -> None:
        import daal4py
        import sklearnex.svm  # noqa: F401 - so that a missing library shows here

        super().__init__(case, threads)
        daal4py.daalinit(nthreads=threads)
        if not case.kind.defaults:
            self.X_train, self.X_test = (X.astype(np.float32) for X in case.given)

    def svc(self) -> type[Any]:
        """The class of its SVC."""
        from sklearnex.svm import SVC

        return SVC  # type: ignore[no-any-return]


def line_up_of(kind: Kind) -> tuple[type[Caller], ...]:
    """Who takes a kind of call: we, and its peers."""
    return (OurCaller, *(peer for peer in (ScikitLearnCaller, IntelexCaller) if peer.name in kind.peers))


def _both(fit: tuple[float, float], ask: tuple[float, float]) -> dict[str, GroupGoal | None]:
    return {FIT: GroupGoal(*fit), FIRST: None, NEXT: GroupGoal(*ask)}


KEEP = (8.0, 3.0)  # for kinds without a goal of their own
ALONE = (ScikitLearn.name,)  # kinds that the others hand on to scikit-learn

KINDS = {
    kind.name: kind
    for kind in (
        Kind("defaults", _both((12, 6), KEEP), defaults=True),
        Kind("decision_function", {FIRST: None, NEXT: GroupGoal(12, 6)}, ask=decision_values),
        Kind("one row", {NEXT: GroupGoal(20, 10)}, ask=predict_one_by_one),
        Kind("linear", _both((10, 5), KEEP), kernel="linear"),
        Kind("poly", _both((10, 5), (10, 5)), kernel="poly"),
        Kind("sigmoid", _both(KEEP, KEEP), kernel="sigmoid"),
        Kind("precomputed", _both((8, 3), (8, 4)), kernel="precomputed", samples=kernel_matrices, peers=ALONE),
        Kind("callable", {FIT: None, FIRST: None, NEXT: None}, kernel="function", rows=FEW_ROWS, peers=ALONE),
        Kind("weights", {FIT: GroupGoal(*KEEP)}, train=fit_weighted),
        Kind("one against the rest", _both(KEEP, KEEP), against_rest=True, rows=FEW_ROWS),
        Kind(
            "probabilities",
            {FIT: GroupGoal(*KEEP), FIRST: GroupGoal(12, 6), NEXT: GroupGoal(20, 8)},
            ask=probabilities,
            more={"probability": True, "random_state": 0},
            rows=FEW_ROWS,
        ),
        Kind("two classes", _both((8, 4), (8, 4)), two_classes=True, sets=PAIRS, rows=MANY_ROWS),
        Kind("cross_val_score", {FIT: GroupGoal(10, 5)}, train=score_folds, ask=scores, rows=FEW_ROWS),
        Kind("wide rows", {FIT: GroupGoal(8, 6), FIRST: None, NEXT: None}, sets=WIDE),
        Kind("small sets", {FIT: GroupGoal(6, 3), FIRST: None, NEXT: None}, sets=SMALL),
        Kind("text, linear", {FIT: GroupGoal(8, 6), FIRST: None, NEXT: None}, sets=TEXTS, kernel="linear"),
        Kind("text, rbf", {FIT: GroupGoal(8, 6), FIRST: None, NEXT: None}, sets=TEXTS),
    )
}
