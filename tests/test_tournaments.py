"""Structures in which classes meet two by two, played against their references."""

import numpy as np
import pytest
from helpers import dialled_pairs, dialled_rest, every_pattern, random_bank, random_patterns
from hypothesis import given
from hypothesis import strategies as st
from reference import adaptive_ddag, and_gate, bracket, ddag, max_wins
from reference.kernels import machine_values
from tables import REAL, TableWorkshop, real_data
from tournaments import assert_model_plays, assert_plays, random_separation

import dagmar
from dagmar.base.exceptions import MissingMachinesError
from dagmar.structures import DDAG, AdaptiveDDAG, as_structure

NAMES = ["ddag", "max_wins", "and_gate", "bracket", "adaptive_ddag"]
seeds = st.integers(0, 2**32 - 1)


def game(name, bank, seed, n_values=3):
    """The plan of a structure, and its reference, with a random order of the classes or random separations."""
    n_classes = bank.n_classes
    order = np.random.default_rng(seed).permutation(n_classes)
    separation = random_separation(seed, n_classes, n_values)
    references = {
        "ddag": lambda verdict: ddag.list_form(order, verdict),
        "max_wins": lambda verdict: max_wins.qweighted(n_classes, verdict),
        "and_gate": lambda verdict: and_gate.answer(n_classes, verdict),
        "bracket": lambda verdict: bracket.answer(n_classes, verdict),
        "adaptive_ddag": lambda verdict: adaptive_ddag.answer(separation, verdict),
    }
    if name == "adaptive_ddag":
        workshop = TableWorkshop(np.zeros((bank.n_machines, n_classes)), np.ones(n_classes))
        plan = AdaptiveDDAG(separation=separation).build(workshop)
    else:
        plan = (DDAG(order=order) if name == "ddag" else as_structure(name)).plan(bank)
    return plan, references[name]


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("name", NAMES)
def test_every_pattern_is_played_as_the_reference_plays_it(name, n_classes):
    """On all 2^K outcomes, ties included, the games and the answer are those of the reference."""
    bank, patterns = dialled_pairs(n_classes), every_pattern(n_classes)
    for seed in range(5 if name == "adaptive_ddag" else 1):
        assert_plays(bank, *game(name, bank, seed), patterns, patterns)


@pytest.mark.parametrize("name", NAMES)
@given(n_classes=st.integers(2, 12), seed=seeds, n_values=st.sampled_from([1, 2, 4, 1000]))
def test_random_patterns_are_played_as_the_reference_plays_them(name, n_classes, seed, n_values):
    """Random outcomes, with zeros: the same machines in the same order, the same answers."""
    bank, patterns = dialled_pairs(n_classes), random_patterns(seed, n_classes, 40)
    assert_plays(bank, *game(name, bank, seed, n_values), patterns, patterns)


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("batch", [1, 5, 30, 200])
@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("name", NAMES)
def test_core_decides_as_the_reference(name, n_classes, batch, precision, rng):
    """On random machines, where a class that beats all others is rare, batches of any size get the reference's answers."""
    bank = random_bank(n_classes, n_classes, precision=precision)
    X = rng.normal(size=(batch, 6))
    assert_plays(bank, *game(name, bank, batch, 10), machine_values(bank, X), X)


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("structure", ["and_gate", "bracket"])
def test_real_data_follows_the_reference(structure, name):
    """On real data, labels and paths are those of the reference."""
    X, y, T, parameters = real_data(name)
    clf = dagmar.SVC(structure=structure, n_jobs=-1, **parameters).fit(X, y)
    assert_model_plays(clf, T[:1000], game(structure, clf.bank_, 0)[1])


@pytest.mark.parametrize("name", ["ddag", "max_wins", "and_gate", "bracket"])
def test_bank_without_pairs_is_refused(name):
    """A bank of other machines is an error that says what is missing."""
    structure = as_structure(name)
    with pytest.raises(
        MissingMachinesError, match=f"{type(structure).__name__} needs a machine for each of the 6 pairs"
    ):
        structure.plan(dialled_rest(4))
