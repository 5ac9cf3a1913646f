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


def shortened(names: Sequence[str], longest: int = LONGEST) -> list[str]:
    """Return names of at most `longest` characters, and different ones for different names.

    If names become equal, what all have in common at the beginning and at the end is cut to the room there is. If that is not
    enough, they get numbers.

    Examples
    --------
    >>> from dagmar.pictures.labels import shortened
    >>> shortened(["category 1 of things", "category 2 of things"], 12)
    ['…gory 1 of …', '…gory 2 of …']
    """
    short = [shorten(name, longest) for name in names]
    if _as_many(short, names):
        return short
    start, end = _n_common(names), _n_common([name[::-1] for name in names])
    # Keep as much of their common part as there is room for.
    room = max(0, longest - 2 - max(len(name) - start - end for name in names))
    start, end = max(0, start - (room + 1) // 2), max(0, end - room // 2)
    middles = [name[start : max(start, len(name) - end)] for name in names]
    short = [shorten(f"{'…' if start else ''}{middle}{'…' if end else ''}", longest) for middle in middles]
    if _as_many(short, names):
        return short
    numbers = {name: f"…{k}" for k, name in enumerate(dict.fromkeys(names))}
    return [shorten(name, max(1, longest - len(numbers[name]))) + numbers[name] for name in names]


def _n_common(names: Sequence[str]) -> int:
    """Return how many characters all names have in common at their beginning."""
    differ = (k for k, characters in enumerate(zip(*names, strict=False)) if len(set(characters)) > 1)
    return next(differ, min(map(len, names)))


def _as_many(short: Sequence[str], names: Sequence[str]) -> bool:
    return len(set(short)) == len(set(names))


def short_names(names: Sequence[str], longest: int = LONGEST) -> list[str]:
    """Return `shortened` names for a picture, with nothing that matplotlib would take for a formula."""
    return [plain(name) for name in shortened(names, longest)]


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
