"""Every public name says what it is, shows an example, and leads to its neighbours; the reference lists all of them."""

import inspect
import re
from pathlib import Path

import pytest

import dagmar
import dagmar.dask
import dagmar.pictures
import dagmar.tuning

REFERENCE = Path(__file__).parents[1] / "docs" / "reference.rst"
MODULES = (dagmar, dagmar.tuning, dagmar.pictures, dagmar.dask)


def names():
    """Full names of everything public that is no module."""
    for module in MODULES:
        for name in module.__all__:
            found = getattr(module, name)
            if inspect.isclass(found) or inspect.isfunction(found):
                yield f"{module.__name__}.{name}", found


NAMES = dict(names())
OTHERS = [name for name, found in NAMES.items() if not (inspect.isclass(found) and issubclass(found, Exception))]


@pytest.mark.parametrize("name", NAMES)
def test_first_line_says_what_it_is(name):
    """One sentence of some words, not the name again."""
    first = inspect.getdoc(NAMES[name]).splitlines()[0]
    assert first.endswith(".")
    assert len(first.split()) > 4


@pytest.mark.parametrize("name", OTHERS)
def test_there_are_an_example_and_neighbours(name):
    text = inspect.getdoc(NAMES[name])
    assert "See Also\n--------" in text
    assert ">>> " in text


def test_the_reference_has_every_name():
    listed = set(re.findall(r"^   (dagmar\.[\w.]+)$", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE))
    assert listed == set(NAMES)


def test_help_begins_with_what_it_is():
    """An SVC is described before its parameters are, with a call to begin with."""
    before = inspect.getdoc(dagmar.SVC).split("Parameters\n----------")[0]
    assert "dagmar.SVC(C=10" in before
    assert len(before.splitlines()) < 16
