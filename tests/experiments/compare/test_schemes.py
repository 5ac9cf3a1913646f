"""The schemes of the workbench."""

import pytest
from comparisons import rows

from dagmar import InvalidParameterError
from dagmar.structures import STRUCTURES
from experiments.compare.scheme import Kind, Trial
from experiments.compare.schemes import DEFAULT, FOR_TABLES, OTHERS, scheme_of
from experiments.compare.structured import BASES

TRIAL = Trial(seed=3, threads=1, n_features=2)


@pytest.mark.parametrize(
    "name", [*dict.fromkeys((*DEFAULT, *OTHERS, *FOR_TABLES, *STRUCTURES)), *(f"ddag+{base}" for base in BASES)]
)
def test_every_scheme_is_an_estimator_that_tells_its_grid(name):
    """Every name gives an estimator, and the seed and the folds are those of the trial."""
    scheme = scheme_of(name)
    assert scheme.name == name
    assert scheme.recipe == scheme_of(name).recipe
    assert "0x" not in scheme.recipe  # an address would be another in every process
    made = scheme.make(TRIAL)
    assert made.cv.random_state == 3
    slow = scheme.kind in (Kind.INSTEAD, Kind.PROBE) or name == "crammer_singer"
    assert made.cv.n_splits == (3 if slow else 5)


def test_default_has_all_structures_and_all_other_schemes():
    """Nothing is left out of a comparison that names no schemes."""
    assert set(STRUCTURES) <= set(DEFAULT)
    assert set(OTHERS) <= set(DEFAULT)
    assert len(set(DEFAULT)) == len(DEFAULT)


def test_what_people_would_use_instead_has_ten_cells():
    """All of them have the same number of cells."""
    for name, scheme in OTHERS.items():
        if scheme.kind is Kind.INSTEAD:
            grid = scheme.make(TRIAL).param_grid
            cells = 1
            for values in grid.values():
                cells *= len(values)
            assert cells == 10, name


@pytest.mark.parametrize("name", ["max_win", "ddag+soft0", "ddag+groups", "ddag+logistic+soft3", "forest+soft3", ""])
def test_unknown_schemes_are_told(name):
    """A name that is no scheme is an error that says where the names are."""
    with pytest.raises(InvalidParameterError, match=r"there is no scheme.*--list-schemes"):
        scheme_of(name)
    if name == "max_win":
        with pytest.raises(InvalidParameterError, match="did you mean max_wins"):
            scheme_of(name)


@pytest.mark.parametrize(
    "name", ["sklearn_one_vs_rest", "output_codes", "crammer_singer", "ddag+tree", "max_wins+ranks"]
)
def test_schemes_learn(name):
    """Schemes whose parameters go through several layers find better parameters than none."""
    X, y = rows()
    assert scheme_of(name).make(TRIAL).fit(X, y).best_score_ > 0.7
