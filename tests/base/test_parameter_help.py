"""What the parameters of a class mean."""

from html import unescape

import pytest
from sklearn.linear_model import LogisticRegression

import dagmar
from dagmar.base.parameter_help import parameter_help

CLASSES = [dagmar.SVC, dagmar.SVCCV, dagmar.PairwiseClassifier, dagmar.DDAG, dagmar.DivideAndConquer, dagmar.FisherTree]


@pytest.mark.parametrize("kind", CLASSES)
def test_every_parameter_has_a_sentence(kind):
    """The docstrings of our estimators and structures name every parameter, each with a whole sentence."""
    given = kind(LogisticRegression()) if kind is dagmar.PairwiseClassifier else kind()
    words = parameter_help(kind)
    assert set(given.get_params(deep=False)) == set(words)
    for name, sentence in words.items():
        assert sentence.endswith("."), name


@pytest.mark.parametrize("kind", CLASSES)
def test_scikit_learn_reads_the_same_section(kind):
    """Scikit-learn's own view, which shows whole descriptions, finds the same parameters."""
    docstring = pytest.importorskip("sklearn.utils._repr_html.common").get_docstring
    for name, sentence in parameter_help(kind).items():
        assert sentence.split()[0] in unescape(docstring(kind, "Parameters", name))


class Documented:
    """A class.

    Parameters
    ----------
    a, b : int, default=0
        Two numbers, e.g. 1 and 2. More
        about them.

        A second paragraph.
    c
        No full stop

    Attributes
    ----------
    d : int
        Not a parameter.
    """


def test_sections_are_told_apart():
    """Names in one line share a sentence; other sections do not count; a class without the section has no help."""
    assert parameter_help(Documented) == {
        "a": "Two numbers, e.g. 1 and 2.",
        "b": "Two numbers, e.g. 1 and 2.",
        "c": "No full stop",
    }
    assert parameter_help(type("Bare", (), {})) == {}
    assert parameter_help(type("Short", (), {"__doc__": "One line."})) == {}
