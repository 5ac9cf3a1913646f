"""Which instruction set the core computes with, and that no label depends on it."""

import pickle

import numpy as np
import pytest
from datasets import subset
from helpers import LEVELS

import dagmar
from dagmar import _core
from dagmar.base.instructions import VARIABLE, simd_level
from experiments.catalogue import CATALOGUE

NAMES = [level.name for level in _core.Level]


def test_level_is_the_best_unless_the_variable_names_one(monkeypatch):
    """Without the variable, or where it is empty, the processor's best; otherwise what it names."""
    monkeypatch.delenv(VARIABLE, raising=False)
    assert simd_level() == _core.best_level()
    monkeypatch.setenv(VARIABLE, "")
    assert simd_level() == _core.best_level()
    for level in LEVELS:
        monkeypatch.setenv(VARIABLE, level.name)
        assert simd_level() == level


@pytest.mark.parametrize("word", ["sse", "AVX2", " plain"])
def test_unknown_words_are_refused(word, monkeypatch, three_blobs):
    """The message names the variable, the word and the choices, from every call that reads it."""
    fitted = dagmar.SVC().fit(*three_blobs)
    monkeypatch.setenv(VARIABLE, word)
    words = f"DAGMAR_SIMD is {word!r}; it must be one of {', '.join(NAMES)}"
    with pytest.raises(ValueError, match=words):
        dagmar.SVC().fit(*three_blobs)
    with pytest.raises(ValueError, match=words):
        fitted.predict(three_blobs[0])


def test_instruction_sets_that_the_processor_lacks_are_refused(monkeypatch):
    """The message names those that it has."""
    monkeypatch.setattr(_core, "best_level", lambda: _core.Level.plain)
    monkeypatch.setenv(VARIABLE, "avx2")
    with pytest.raises(ValueError, match=r"DAGMAR_SIMD is 'avx2', but this processor has only plain$"):
        simd_level()


def fit_at(name, X, y, monkeypatch):
    monkeypatch.setenv(VARIABLE, name)
    clf = dagmar.SVC(C=10.0, tol=1e-4).fit(X, y)
    return clf, clf.predict(X), clf.pair_decisions(X)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "plain"])
@pytest.mark.parametrize("data", sorted(CATALOGUE))
def test_labels_do_not_depend_on_the_instruction_set(data, name, monkeypatch):
    """One bank gives the same labels at every level; two fits differ only where a value is within the tolerance of zero.

    Plain code does not fuse multiplication and addition, so its kernel values, and the steps of its solver, are others.
    """
    if name not in [level.name for level in LEVELS]:
        pytest.skip(f"this processor does not have {name}")
    X, y = subset(data, 400)
    plain, labels, values = fit_at("plain", X, y, monkeypatch)
    monkeypatch.setenv(VARIABLE, name)
    copied = pickle.loads(pickle.dumps(plain))  # a copy, because a model keeps the level of its first prediction
    np.testing.assert_array_equal(copied.predict(X), labels)
    _, other_labels, other_values = fit_at(name, X, y, monkeypatch)
    assert np.abs(other_values - values).max() < 10 * plain.tol
    certain = np.abs(values) > 10 * plain.tol
    np.testing.assert_array_equal((other_values >= 0)[certain], (values >= 0)[certain])
    sure = np.array([np.abs(v).min() > 10 * plain.tol for _, v in plain.decision_path(X)])
    np.testing.assert_array_equal(other_labels[sure], labels[sure])
    assert sure.mean() > 0.97
