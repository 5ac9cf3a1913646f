"""On real sets our machines are as good as LIBSVM's and scikit-learn's on every pair, and answer alike."""

import pytest

from . import data
from .comparison import assert_agreement
from .peers import libsvm, ours, scikit_learn


def by_libsvm(task):
    """LIBSVM, where its Python package is installed."""
    pytest.importorskip("libsvm")
    return libsvm(task)


every_peer = pytest.mark.parametrize("peer", [by_libsvm, scikit_learn], ids=["libsvm", "scikit-learn"])


@every_peer
@pytest.mark.parametrize("load", [data.iris, data.wine])
def test_small_sets_get_the_same_labels(load, peer):
    """On Iris and Wine no label differs."""
    task = load()
    assert_agreement(task, ours(task), peer(task), alike=1.0)


@every_peer
@pytest.mark.parametrize("load", [data.digits, data.glass, data.vowel])
def test_sets_with_more_classes(load, peer):
    """On Digits, Glass and Vowel every pair is as good, and labels agree."""
    task = load()
    assert_agreement(task, ours(task), peer(task))


@pytest.mark.slow
@every_peer
@pytest.mark.parametrize("load", [data.letter, data.pendigits, data.usps])
def test_sets_of_thousands(load, peer):
    """On Letter, Pendigits and USPS, solved in single precision, every pair is as good, and labels agree."""
    task = load()
    mine = ours(task)
    assert mine.bank_.precision == "single"
    assert_agreement(task, mine, peer(task))
