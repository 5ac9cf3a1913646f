"""The solvers we agree with, as functions from a task to a fitted model with the attributes of `sklearn.svm.SVC`."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sklearn.svm
from threadpoolctl import threadpool_limits

import dagmar


def ours(task, **more):
    """`dagmar.SVC`, answering by max wins."""
    clf = dagmar.SVC(structure="max_wins", decision_function_shape="ovo", **task.parameters, **more)
    return clf.fit(task.X, task.y)


def scikit_learn(task, **more):
    """`sklearn.svm.SVC`."""
    return sklearn.svm.SVC(decision_function_shape="ovo", **task.parameters, **more).fit(task.X, task.y)


@dataclass
class LibsvmModel:
    """A model of LIBSVM under scikit-learn's names; more than two classes only, as two have other signs there."""

    model: Any
    support_: np.ndarray
    n_support_: np.ndarray
    dual_coef_: np.ndarray

    def _run(self, X):
        from libsvm.svmutil import svm_predict

        with threadpool_limits(1):
            return svm_predict([], X, self.model, "-q")

    def predict(self, X):
        """Classes."""
        return np.array(self._run(X)[0], dtype=int)

    def decision_function(self, X):
        """Values of the pairs, positive for the earlier class."""
        return np.array(self._run(X)[2])


def libsvm(task):
    """LIBSVM by its own Python interface."""
    from libsvm.svmutil import svm_parameter, svm_problem, svm_train

    # LIBSVM numbers classes as they come: sorted samples make that our order.
    order = np.argsort(task.y, kind="stable")
    number = ["linear", "poly", "rbf", "sigmoid"].index(task.kernel)
    options = f"-q -t {number} -c {task.C!r} -g {task.gamma!r} -r {task.coef0!r} -d {task.degree} -e {task.tol!r}"
    # LIBSVM opens a team of threads for every kernel row, which on a busy machine costs more than the row.
    with threadpool_limits(1):
        model = svm_train(svm_problem(task.y[order].astype(float), task.X[order]), svm_parameter(options))
    return LibsvmModel(
        model,
        support_=order[np.array(model.get_sv_indices()) - 1],
        n_support_=np.array(model.nSV[: model.get_nr_class()]),
        dual_coef_=np.array(model.get_sv_coef()).T,
    )
