"""Parameters in model files."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils import check_random_state

import dagmar
from dagmar import ModelFileError
from dagmar.files.parameters import STRUCTURE, VALUE, Parameters

PLAIN = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.floats(allow_nan=False), st.just(np.inf)
)
NESTED = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.one_of(st.integers(), st.text(max_size=3)), inner, max_size=3),
    ),
    max_leaves=8,
)


def there_and_back(kind, value):
    arrays = {}
    said = json.loads(json.dumps(kind.write(value, "here", arrays), allow_nan=False))
    return kind.read(said, "here", arrays)


@given(NESTED)
def test_values_come_back_with_their_types(value):
    assert repr(there_and_back(VALUE, value)) == repr(value)


def test_arrays_and_numbers_of_numpy():
    """Arrays stay arrays, also inside of dicts; single numbers become Python's; paths become texts; ranges lists."""
    C = np.array([1.0, np.inf])
    back = there_and_back(VALUE, {"a": [C, np.float64(2.5)], np.int64(3): np.bool_(True)})
    np.testing.assert_array_equal(back["a"][0], C)
    assert back["a"][1] == 2.5
    assert back[3] is True
    assert there_and_back(VALUE, Path("folder")) == "folder"
    assert there_and_back(VALUE, range(3)) == [0, 1, 2]


@pytest.mark.parametrize(
    ("value", "words"),
    [(len, "a function"), (check_random_state(0), "RandomState"), (np.array(["a"]), "type <U1"), (1j, "complex")],
)
def test_other_values_cannot_be_written(value, words):
    with pytest.raises(ModelFileError, match=words):
        VALUE.write(value, "here", {})


@pytest.mark.parametrize(
    "said", [{}, {"float": 3}, {"tuple": 3}, {"dict": [[1]]}, {"dict": [[[], 1]]}, {"array": "here"}, {"a": 1, "b": 2}]
)
def test_other_values_are_not_read(said):
    with pytest.raises(ModelFileError, match="here"):
        VALUE.read(said, "here", {})


@pytest.mark.parametrize(
    "structure",
    ["ddag", dagmar.DDAG(order=[2, 0, 1]), dagmar.DivideAndConquer(theta=0.1, prefer="accuracy"), dagmar.MaxWins(),
     dagmar.AdaptiveDDAG(separation=np.eye(3)), dagmar.FisherTree(machines="groups")],
)  # fmt: skip
def test_structures_come_back_with_their_parameters(structure):
    back = there_and_back(STRUCTURE, structure)
    assert type(back) is type(structure)
    assert repr(back) == repr(structure)


def test_structures_of_ones_own_cannot_be_written():
    """Their code is not in the file."""

    class Own(dagmar.DDAG):
        pass

    with pytest.raises(ModelFileError, match="Own is not dagmar's own"):
        STRUCTURE.write(Own(), "here", {})


@pytest.mark.parametrize(
    "said", ["own", 3, {"name": "ddag"}, {"name": [], "parameters": {}}, {"name": "ddag", "parameters": {"theta": 1}}]
)
def test_other_structures_are_not_read(said):
    with pytest.raises(ModelFileError, match="here"):
        STRUCTURE.read(said, "here", {})


def test_unknown_parameters_are_named():
    with pytest.raises(ModelFileError, match=r"unknown: .'D'"):
        Parameters(("C",)).read({"C": 1.0, "D": 2.0}, "here", {})
