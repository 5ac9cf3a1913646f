"""Choosing C and gamma: by cross-validation (`dagmar.SVCCV`), or gamma alone without training (`dbtc`)."""

from .gamma import GammaChoice, dbtc

__all__ = ["GammaChoice", "dbtc"]
