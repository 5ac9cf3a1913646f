"""Pickles carry the version of dagmar that wrote them; a pickle of another version raises an error that names it."""

from __future__ import annotations

from typing import Any

from .exceptions import PickleVersionError

KEY = "_dagmar_version"


def running_version() -> str:
    """Return the version of dagmar that is running."""
    import dagmar  # its __version__ is looked up on first use

    return dagmar.__version__


def documentation_url() -> str:
    """Return the address of the documentation that the installed package names, or "" if it names none."""
    from importlib.metadata import metadata  # slow to import, so only when asked for

    named = dict(url.split(", ", 1) for url in metadata("dagmar").get_all("Project-URL") or [])
    return str(named.get("Documentation", ""))


def with_version(state: dict[str, Any]) -> dict[str, Any]:
    """Return the state of an object with the version added, for a pickle."""
    return {**state, KEY: running_version()}


def check_version(owner: str, state: dict[str, Any]) -> dict[str, Any]:
    """Return the state of a pickled object without its version.

    Raises PickleVersionError if the version is not the one that is running.
    """
    written = state.get(KEY, "an unknown version")
    if written != running_version():
        raise PickleVersionError(
            f"This pickled {owner} was written by dagmar {written}, but dagmar {running_version()} is running. Fit the model "
            f"again, or read the pickle with the version that wrote it."
        )
    return {name: value for name, value in state.items() if name != KEY}
