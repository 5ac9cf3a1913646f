"""Labels of users as text for pictures and exports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

LONGEST = 24  # characters of a label where there is room


def plain(text: str) -> str:
    r"""Return text that matplotlib draws as it is: a dollar sign does not begin a formula.

    Examples
    --------
    >>> from dagmar.pictures.labels import plain
    >>> print(plain("$10 to $20"))
    \$10 to \$20
    """
    return text.replace("$", r"\$")


def shorten(text: str, longest: int = LONGEST) -> str:
    """Return text of one line with at most `longest` characters; what is left out of its middle becomes one ellipsis.

    Both ends are kept, because long labels often differ at their ends only.

    Examples
    --------
    >>> from dagmar.pictures.labels import shorten
    >>> shorten("Iris setosa var. canadensis", 12)
    'Iris se…nsis'
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if len(line) <= longest:
        return line
    tail = (longest - 1) * 2 // 5
    return f"{line[: longest - 1 - tail]}…{line[len(line) - tail :]}"


def class_names(classes: Sequence[Any], given: Sequence[Any] | None = None) -> list[str]:
    """Return the names of the classes as strings.

    Parameters
    ----------
    classes : sequence of n_classes labels
        The labels of the classifier.
    given : sequence of n_classes names, optional
        Names to use instead, in the same order.

    Returns
    -------
    list of str
    """
    if given is not None and len(given) != len(classes):
        raise ValueError(f"class_names must have a name for each of the {len(classes)} classes; got {len(given)}")
    return [str(name) for name in (classes if given is None else given)]


def short_names(names: Sequence[str], longest: int = LONGEST) -> list[str]:
    """Return names for a picture: shortened, and with nothing that matplotlib would take for a formula."""
    return [plain(shorten(name, longest)) for name in names]


def listed(names: Sequence[str], most: int = 12) -> str:
    """Return a list of names with commas between them; of a long list, its beginning and end.

    Examples
    --------
    >>> from dagmar.pictures.labels import listed
    >>> listed("ABCDEFGH", 4)
    'A, B, …, H'
    """
    if len(names) <= most:
        return ", ".join(names)
    return ", ".join([*names[: most - 2], "…", names[-1]])
