"""Errors and warnings defined by dagmar. All others are those of scikit-learn and Python."""

from __future__ import annotations


class CheckpointError(ValueError):
    """A checkpoint folder belongs to another fit, or cannot be read."""


class ClusterError(ValueError):
    """A Dask cluster cannot do what it is asked for: it is lost, its workers do not fit, or they have too little memory."""


class GridEdgeWarning(UserWarning):
    """A better cell may be outside the grid of a search: the best is on the edge, all tie, or none beats a constant answer."""


class InvalidParameterError(ValueError, TypeError):
    """A parameter of an estimator or structure has a value that is not allowed."""


class MissingMachinesError(ValueError):
    """A structure needs machines that the bank does not hold."""


class MissingDataError(ValueError):
    """Data that is needed was not given, or was not found."""


class ModelFileError(ValueError):
    """A model file is damaged, of a later format, or not a model file; or a model cannot be written to one."""


class PickleVersionError(ValueError):
    """A pickle was written by another version of dagmar."""
