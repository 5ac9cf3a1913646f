"""Errors of the experiments."""


class DataError(ValueError):
    """A data set cannot be found, or is not what it should be."""


class StepError(ValueError):
    """A step does not exist, or needs the result of another that has not been run."""


class OtherRunError(ValueError):
    """The file that a run would continue belongs to another run."""
