"""Errors of experiments."""


class OtherRunError(ValueError):
    """The record that a run would go on with is of another one."""
