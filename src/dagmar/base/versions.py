"""Pickles carry the version that wrote them; one of another version is refused, by name."""

from __future__ import annotations

from typing import Any

from .exceptions import PickleVersionError

KEY = "_dagmar_version"


def running_version() -> str:
    """The version of dagmar that is running."""
    import dagmar  # which looks it up when it is first asked for

    return dagmar.__version__


def with_version(state: dict[str, Any]) -> dict[str, Any]:
    """The state of an object, for a pickle."""
    return {**state, KEY: running_version()}


def check_version(owner: str, state: dict[str, Any]) -> dict[str, Any]:
    """The state of a pickled object without its version; PickleVersionError if that is not the one running."""
    written = state.get(KEY, "an unknown version")
    if written != running_version():
        raise PickleVersionError(
            f"This pickled {owner} was written by dagmar {written}, and dagmar {running_version()} is running. Fit the model "
            f"again, or read the pickle with the version that wrote it."
        )
    return {name: value for name, value in state.items() if name != KEY}
