"""Multiclass kernel SVMs: one machine is trained per pair of classes; a prediction consults only a few.

>>> import dagmar
>>> from sklearn.datasets import load_iris
>>> X, y = load_iris(return_X_y=True)
>>> dagmar.SVC(C=10).fit(X, y).predict(X[:1])
array([0])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import dask as dask
    from . import pictures as pictures
    from . import tuning as tuning
    from .analysis.bounds import GeneralizationBound as GeneralizationBound
    from .analysis.explanation import Explanation as Explanation
    from .analysis.significance import McNemar as McNemar
    from .analysis.significance import mcnemar as mcnemar
    from .base.exceptions import CheckpointError as CheckpointError
    from .base.exceptions import ClusterError as ClusterError
    from .base.exceptions import GridEdgeWarning as GridEdgeWarning
    from .base.exceptions import InvalidParameterError as InvalidParameterError
    from .base.exceptions import MissingDataError as MissingDataError
    from .base.exceptions import MissingMachinesError as MissingMachinesError
    from .base.exceptions import ModelFileError as ModelFileError
    from .base.exceptions import PickleVersionError as PickleVersionError
    from .estimators.explaining import explain as explain
    from .estimators.pairwise import PairwiseClassifier as PairwiseClassifier
    from .estimators.svc import SVC as SVC
    from .explorer.exploring import explore as explore
    from .exports.onnx_model import to_onnx as to_onnx
    from .files.saving import load as load
    from .files.saving import save as save
    from .interop.libsvm import from_libsvm as from_libsvm
    from .interop.libsvm_writing import to_libsvm as to_libsvm
    from .interop.scikit_learn import from_sklearn as from_sklearn
    from .interop.scikit_learn import to_sklearn as to_sklearn
    from .machines.bank import Bank as Bank
    from .machines.report import FitReport as FitReport
    from .pictures.graphviz import export_graphviz as export_graphviz
    from .pictures.text import export_text as export_text
    from .structures import DDAG as DDAG
    from .structures import AdaptiveDDAG as AdaptiveDDAG
    from .structures import AndGate as AndGate
    from .structures import Bracket as Bracket
    from .structures import CenteredTree as CenteredTree
    from .structures import DivideAndConquer as DivideAndConquer
    from .structures import FisherTree as FisherTree
    from .structures import MaxWins as MaxWins
    from .structures import OneVsRest as OneVsRest
    from .structures import Structure as Structure
    from .structures.paths import DecisionCost as DecisionCost
    from .structures.paths import DecisionPath as DecisionPath
    from .tuning.svccv import SVCCV as SVCCV

__version__: str

# The module of each public name (None: the name is itself a module). Modules are loaded on first use, so that importing
# dagmar takes almost no time.
_HOMES: dict[str, str | None] = {
    "DDAG": "structures",
    "FisherTree": "structures",
    "DivideAndConquer": "structures",
    "CenteredTree": "structures",
    "Bracket": "structures",
    "AndGate": "structures",
    "AdaptiveDDAG": "structures",
    "SVC": "estimators.svc",
    "SVCCV": "tuning.svccv",
    "Bank": "machines.bank",
    "CheckpointError": "base.exceptions",
    "ClusterError": "base.exceptions",
    "DecisionCost": "structures.paths",
    "DecisionPath": "structures.paths",
    "Explanation": "analysis.explanation",
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
    "Structure": "structures",
    "dask": None,
    "export_graphviz": "pictures.graphviz",
    "export_text": "pictures.text",
    "explain": "estimators.explaining",
    "explore": "explorer.exploring",
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

__all__ = [
    "DDAG",
    "SVC",
    "SVCCV",
    "AdaptiveDDAG",
    "AndGate",
    "Bank",
    "Bracket",
    "CenteredTree",
    "CheckpointError",
    "ClusterError",
    "DecisionCost",
    "DecisionPath",
    "DivideAndConquer",
    "Explanation",
    "FisherTree",
    "FitReport",
    "GeneralizationBound",
    "GridEdgeWarning",
    "InvalidParameterError",
    "MaxWins",
    "McNemar",
    "MissingDataError",
    "MissingMachinesError",
    "ModelFileError",
    "OneVsRest",
    "PairwiseClassifier",
    "PickleVersionError",
    "Structure",
    "__version__",
    "dask",
    "explain",
    "explore",
    "export_graphviz",
    "export_text",
    "from_libsvm",
    "from_sklearn",
    "load",
    "mcnemar",
    "pictures",
    "save",
    "to_libsvm",
    "to_onnx",
    "to_sklearn",
    "tuning",
]


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
