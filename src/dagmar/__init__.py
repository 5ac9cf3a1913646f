"""Multiclass kernel SVMs: one machine is trained per pair of classes; a prediction consults only a few.

>>> import dagmar
>>> from sklearn.datasets import load_iris
>>> X, y = load_iris(return_X_y=True)
>>> dagmar.SVC(C=10).fit(X, y).predict(X[:1])
array([0])
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__: str

# All public names, each with the module that has it (None: the name is itself a module). Modules are loaded on first use, so
# that importing dagmar takes almost no time. Type checkers read `__init__.pyi`, which `make stub` writes from this table.
_HOMES: dict[str, str | None] = {
    "AdaptiveDDAG": "structures",
    "AndGate": "structures",
    "Bank": "machines.bank",
    "Bracket": "structures",
    "CenteredTree": "structures",
    "CheckpointError": "base.exceptions",
    "ClusterError": "base.exceptions",
    "DDAG": "structures",
    "DecisionCost": "structures.paths",
    "DecisionPath": "structures.paths",
    "DivideAndConquer": "structures",
    "Explanation": "analysis.explanation",
    "FisherTree": "structures",
    "FitReport": "machines.report",
    "GeneralizationBound": "analysis.bounds",
    "GridEdgeWarning": "base.exceptions",
    "InvalidParameterError": "base.exceptions",
    "MaxWins": "structures",
    "McNemar": "analysis.significance",
    "MissingDataError": "base.exceptions",
    "MissingMachinesError": "base.exceptions",
    "ModelFileError": "base.exceptions",
    "OneVsRest": "structures",
    "PairwiseClassifier": "estimators.pairwise",
    "PickleVersionError": "base.exceptions",
    "SVC": "estimators.svc",
    "SVCCV": "tuning.svccv",
    "Structure": "structures",
    "dask": None,
    "explain": "estimators.explaining",
    "explore": "explorer.exploring",
    "export_graphviz": "pictures.graphviz",
    "export_text": "pictures.text",
    "from_libsvm": "interop.libsvm",
    "from_sklearn": "interop.scikit_learn",
    "load": "files.saving",
    "mcnemar": "analysis.significance",
    "pictures": None,
    "save": "files.saving",
    "to_libsvm": "interop.libsvm_writing",
    "to_onnx": "exports.onnx_model",
    "to_sklearn": "interop.scikit_learn",
    "tuning": None,
}

__all__ = [*_HOMES, "__version__"]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # slow to import, so only when asked for

        globals()[name] = version("dagmar")
        return globals()[name]
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = import_module(f".{_HOMES[name] or name}", __name__)
    value = getattr(home, name) if _HOMES[name] else home
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
