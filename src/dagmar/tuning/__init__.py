"""Choosing C and gamma: by cross-validation (`dagmar.SVCCV`), or gamma alone without training (`dbtc`)."""

from .cv_results import CVResults
from .gamma import GammaChoice, dbtc
from .ranks import Ranks

__all__ = ["CVResults", "GammaChoice", "Ranks", "dbtc"]
