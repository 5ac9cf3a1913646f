"""The libraries that run, each in the best way its own documentation offers.

Everyone gets the same data, kernel, C, tolerance and cache. What only converts data to a library's own format is done
when the competitor is built, and is not timed.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .agreement import kernel_of
from .cases import TOL, Case, Samples

Labels = NDArray[np.int64]
Predictor = Callable[[], Labels]

DDAG, MAX_WINS = "dagmar ddag", "dagmar max_wins"


def is_ours(name: str) -> bool:
    """Whether a competitor or predictor of this name is ours."""
    return name.startswith("dagmar")


def is_peer(name: str) -> bool:
    """Whether a competitor or predictor of this name is one that we are compared with."""
    return not is_ours(name) and name != LibsvmConverted.name


def who_fitted(predictor: str) -> str:
    """The competitor whose model a predictor consults."""
    return predictor.replace(DDAG, Dagmar.name).replace(MAX_WINS, Dagmar.name)


class Competitor(ABC):
    """A library with its data laid out; building one raises ImportError where the library is missing.

    Parameters
    ----------
    case : Case
    threads : int
        For those who can use them.
    """

    name: ClassVar[str]

    def __init__(self, case: Case, threads: int) -> None:
        self.case = case
        self.threads = threads
        self.parameters = case.parameters

    @abstractmethod
    def fit(self) -> Any:
        """Train a new model; timed."""

    def predictors(self, model: Any) -> dict[str, Predictor]:
        """What to time of a fitted model, by name; each answers all test rows, and its first call starts cold."""
        return {self.name: lambda: model.predict(self.case.X_test)}

    def counts(self, model: Any) -> dict[str, float]:
        """What the work was, apart from how long it took."""
        return {"support_vectors": len(model.support_)}


class Dagmar(Competitor):
    """`dagmar.SVC`; one model, consulted as DDAG and by max-wins."""

    name = "dagmar"

    def fit(self) -> Any:
        """Train a new model; timed."""
        import dagmar

        model = dagmar.SVC(**self.parameters, structure="ddag", n_jobs=self.threads)
        return model.fit(self.case.X_train, self.case.y_train)

    def predictors(self, model: Any) -> dict[str, Predictor]:
        """DDAG and max-wins, of which each has to build the native form of the bank for itself."""
        # A restructured model shares the bank; a copy does not share its native form, so the second is cold as well.
        max_wins = copy.deepcopy(model).restructure("max_wins")
        return {
            DDAG: lambda: model.predict(self.case.X_test),
            MAX_WINS: lambda: max_wins.predict(self.case.X_test),
        }

    def counts(self, model: Any) -> dict[str, float]:
        """Solver's counts, and the mean cost of a decision in either structure."""
        totals = model.report_.totals
        counts = {key: totals[key] for key in ("iterations", "rows_computed", "rows_reused", "refined")}
        for structure in ("ddag", "max_wins"):
            cost = model.restructure(structure).decision_cost(self.case.X_test)
            counts[f"{structure}_machines_per_sample"] = float(cost.machines.mean())
            counts[f"{structure}_kernel_evaluations_per_sample"] = float(cost.kernel_evaluations.mean())
        return {**super().counts(model), **counts}


class DagmarAlone(Dagmar):
    """`dagmar.SVC` on one thread, for peers that have only one."""

    name = "dagmar, 1 thread"

    def __init__(self, case: Case, threads: int) -> None:
        super().__init__(case, threads=1)

    def predictors(self, model: Any) -> dict[str, Predictor]:
        """DDAG and max-wins, by names of their own."""
        return {f"{name}, 1 thread": predict for name, predict in super().predictors(model).items()}


class DagmarRbf(Dagmar):
    """`dagmar.SVC` with the rbf kernel and its usual gamma, to be compared with another kernel."""

    name = "dagmar, rbf"

    def __init__(self, case: Case, threads: int) -> None:
        super().__init__(case, threads)
        self.parameters = {**self.parameters, "kernel": "rbf", "gamma": "scale"}

    def predictors(self, model: Any) -> dict[str, Predictor]:
        """DDAG and max-wins, by names of their own."""
        return {f"{name}, rbf": predict for name, predict in super().predictors(model).items()}


class ScikitLearn(Competitor):
    """`sklearn.svm.SVC`, on float64, the only type its solver has."""

    name = "scikit-learn"

    def fit(self) -> Any:
        """Train a new model; timed."""
        from sklearn.svm import SVC

        return SVC(**self.parameters).fit(self.case.X_train, self.case.y_train)

    def counts(self, model: Any) -> dict[str, float]:
        """Steps of the solver besides."""
        return {**super().counts(model), "iterations": int(model.n_iter_.sum())}


class ScikitLearnFunction(ScikitLearn):
    """`sklearn.svm.SVC` with the kernel as a function, for kernels that it does not have."""

    def fit(self) -> Any:
        """Train a new model; timed."""
        from sklearn.svm import SVC

        parameters = {**self.parameters, "kernel": kernel_of(self.case)}
        return SVC(**parameters).fit(self.case.X_train, self.case.y_train)


class ScikitLearnMatrix(ScikitLearn):
    """`sklearn.svm.SVC` with the kernel matrix, which is computed in the time of `fit` and of `predict`."""

    name = "scikit-learn, precomputed"

    def fit(self) -> Any:
        """Train a new model; timed."""
        from sklearn.svm import SVC

        X, parameters = self.case.X_train, {**self.parameters, "kernel": "precomputed"}
        return SVC(**parameters).fit(kernel_of(self.case)(X, X), self.case.y_train)

    def predictors(self, model: Any) -> dict[str, Predictor]:
        """What to time of a fitted model."""
        return {self.name: lambda: model.predict(kernel_of(self.case)(self.case.X_test, self.case.X_train))}


class Intelex(Competitor):
    """`sklearnex.svm.SVC`, imported from its own module, on float32, where it is fastest."""

    name = "scikit-learn-intelex"

    def __init__(self, case: Case, threads: int) -> None:
        import daal4py
        import sklearnex.svm  # noqa: F401 - so that a missing library shows here

        super().__init__(case, threads)
        daal4py.daalinit(nthreads=threads)
        self.X_train = case.X_train.astype(np.float32)
        self.X_test = case.X_test.astype(np.float32)

    def fit(self) -> Any:
        """Train a new model; timed."""
        from sklearnex.svm import SVC

        return SVC(**self.parameters).fit(self.X_train, self.case.y_train)

    def predictors(self, model: Any) -> dict[str, Predictor]:
        """`predict` on float32."""
        return {self.name: lambda: model.predict(self.X_test)}


class Libsvm(Competitor):
    """LIBSVM through its own Python interface, whose packages compute a kernel row by several threads."""

    name = "LIBSVM"

    def __init__(self, case: Case, threads: int) -> None:
        super().__init__(case, threads)
        self.problem = self._converted(case.X_train, case.y_train)
        self.test = self._converted(case.X_test, case.y_test)
        self.rows = self._rows(self.test)

    def fit(self) -> Any:
        """Train a new model; timed."""
        return self._train(self.problem)

    def predictors(self, model: Any) -> dict[str, Predictor]:
        """The C function, row by row; `svmutil.svm_predict` would convert the rows at every call, and slowly."""
        from libsvm.svm import libsvm

        ask = libsvm.svm_predict
        return {self.name: lambda: np.array([ask(model, row) for row in self.rows], dtype=np.int64)}

    def counts(self, model: Any) -> dict[str, float]:
        """The support vectors; LIBSVM keeps no other count."""
        return {"support_vectors": int(model.l)}

    @staticmethod
    def _converted(X: Samples, y: Labels) -> Any:
        from libsvm.svm import svm_problem
        from scipy.sparse import csr_matrix

        # From a CSR matrix the nodes of all rows lie in one block, which is the kindest to the processor's caches.
        return svm_problem(y, csr_matrix(X))

    def _train(self, problem: Any) -> Any:
        from libsvm.svmutil import svm_train

        kernel = {"linear": 0, "rbf": 2}[self.case.kernel]
        case = self.case
        options = f"-s 0 -t {kernel} -g {case.gamma} -c {case.C} -e {TOL} -m {case.cache_mb} -q"
        return svm_train(problem, options)

    @staticmethod
    def _rows(problem: Any) -> list[Any]:
        return [problem.x[i] for i in range(problem.l)]


class LibsvmAlone(Libsvm):
    """LIBSVM on one thread: its threads wait busily for each other, so on a shared machine one can be the faster."""

    name = "LIBSVM, 1 thread"

    def __init__(self, case: Case, threads: int) -> None:
        super().__init__(case, threads=1)


class LibsvmFromArrays(Libsvm):
    """LIBSVM from arrays, as everyone else: on small sets, converting them takes longer than training."""

    def fit(self) -> Any:
        """Convert the rows and train a new model; timed."""
        return self._train(self._converted(self.case.X_train, self.case.y_train))

    def predictors(self, model: Any) -> dict[str, Predictor]:
        """Convert the rows, and ask the C function for each."""
        from libsvm.svm import libsvm

        ask = libsvm.svm_predict

        def predict() -> Labels:
            test = self._converted(self.case.X_test, self.case.y_test)
            return np.array([ask(model, row) for row in self._rows(test)], dtype=np.int64)

        return {self.name: predict}


class LibsvmFromArraysAlone(LibsvmFromArrays):
    """The same on one thread."""

    name = LibsvmAlone.name

    def __init__(self, case: Case, threads: int) -> None:
        super().__init__(case, threads=1)


class LibsvmConverted(LibsvmAlone):
    """LIBSVM on one thread with rows in its own form, where the others convert: shown, but not ranked with them."""

    name = "LIBSVM, converted before"


LINE_UP: tuple[type[Competitor], ...] = (Dagmar, ScikitLearn, Intelex, Libsvm, LibsvmAlone)
OPTIONAL = (Intelex, Libsvm)  # with what is derived from them
