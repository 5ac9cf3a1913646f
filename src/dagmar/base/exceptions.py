"""Errors that are dagmar's own; everything else is an error scikit-learn users know."""

from __future__ import annotations


class CheckpointError(ValueError):
    """A checkpoint folder cannot serve a fit: it is of another one, or cannot be read."""


class InvalidParameterError(ValueError, TypeError):
    """A parameter of an estimator or structure has a value it cannot have."""


class MissingMachinesError(ValueError):
    """A structure asks for machines that the bank does not hold."""


class MissingDataError(ValueError):
    """Data that is looked at was not given, or is not where it was sought."""


class PickleVersionError(ValueError):
    """A pickle was written by another version of dagmar."""
