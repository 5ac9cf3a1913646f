"""Choosing C and gamma: by cross-validation (`dagmar.SVCCV`), or gamma alone without training (`dbtc`)."""

from .cv_results import CVResults
from .gamma import GammaChoice, dbtc

__all__ = ["CVResults", "GammaChoice", "dbtc"]
