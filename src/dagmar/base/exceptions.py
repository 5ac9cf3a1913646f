"""Errors and warnings defined by dagmar. All others are those of scikit-learn and Python."""

from __future__ import annotations


class CheckpointError(ValueError):
    """A checkpoint folder belongs to another fit, or cannot be read.

    The message names what differs. Give this fit a folder of its own, or delete the old one.
    """


class ClusterError(ValueError):
    """A Dask cluster cannot do what it is asked for: it is lost, its workers do not fit, or they have too little memory.

    With ``checkpoint``, the next fit continues with the machines that were finished.
    """


class GridEdgeWarning(UserWarning):
    """A better cell may be outside the grid of a search: the best is on the edge, all tie, or none beats a constant answer.

    The message says which. Add values of C or gamma on that side; where all cells are alike, scale the features first.
    """


class InvalidParameterError(ValueError, TypeError):
    """A parameter of an estimator or structure has a value that is not allowed; the message says which are.

    It is both a ValueError and a TypeError, so code that expects either keeps working.
    """


class MissingMachinesError(ValueError):
    """A structure needs machines that the bank does not hold.

    Pass the training data to ``restructure(structure, X, y)``, which trains them, or fit again.
    """


class MissingDataError(ValueError):
    """Data that is needed was not given, or was not found.

    For example, ``restructure("adaptive_ddag")`` measures distances between classes, and so needs X and y.
    """


class ModelFileError(ValueError):
    """A model file is damaged, of a later format, or not a model file; or a model cannot be written to one.

    The message names the file and the field. Such a file is never loaded in part.
    """


class PickleVersionError(ValueError):
    """A pickle was written by another version of dagmar.

    Load it with that version and write it by `dagmar.save`, whose files later versions read.
    """
