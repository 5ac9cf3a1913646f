"""Pictures of fitted models, in the manner of scikit-learn's displays.

``XDisplay.from_estimator(...)`` computes, the object holds what is drawn, and ``plot(ax=None)`` draws it and returns the object
with `ax_` and `figure_`. Matplotlib (``pip install 'dagmar[plot]'``) is loaded by `plot` only.
"""

from __future__ import annotations

from .all_predictions import AllPredictionsDisplay
from .cost import CostDisplay
from .decision_regions import DecisionRegionsDisplay
from .explanations import ExplanationDisplay
from .feature_weights import FeatureWeightsDisplay
from .grid import GridDisplay
from .pair_values import PairValuesDisplay
from .separation import SeparationDisplay
from .structure import StructureDisplay
from .theta import ThetaDisplay

__all__ = [
    "AllPredictionsDisplay",
    "CostDisplay",
    "DecisionRegionsDisplay",
    "ExplanationDisplay",
    "FeatureWeightsDisplay",
    "GridDisplay",
    "PairValuesDisplay",
    "SeparationDisplay",
    "StructureDisplay",
    "ThetaDisplay",
]
