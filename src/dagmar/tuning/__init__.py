"""Choosing C and gamma by cross-validation (`dagmar.SVCCV`), or gamma alone without training (`dbtc`); weights of features."""

from .cv_results import CVResults
from .feature_weights import FeatureWeights, feature_importance, learn_weights
from .gamma import GammaChoice, dbtc
from .ranks import Ranks

__all__ = ["CVResults", "FeatureWeights", "GammaChoice", "Ranks", "dbtc", "feature_importance", "learn_weights"]
