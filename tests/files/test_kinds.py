"""Kinds of fields: what is written is read, and anything else is refused by name."""

import json
import math
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from dagmar import ModelFileError
from dagmar.files.kinds import Ints, Names, Numbers, OneOf, Optional, Part, Plain, Rows


def there_and_back(kind, value):
    """What a kind reads of what it wrote, with the header as text in between."""
    arrays = {}
    said = json.loads(json.dumps(kind.write(value, "here", arrays), allow_nan=False))
    return kind.read(said, "here", arrays)


@given(st.one_of(st.floats(allow_nan=False), st.just(math.inf), st.just(-math.inf)))
def test_floats_keep_their_bits(value):
    back = there_and_back(Plain(float), value)
    assert math.copysign(1.0, back) == math.copysign(1.0, value)
    assert back == value


@pytest.mark.parametrize(("kind", "said"), [
    (Plain(int), 1.5), (Plain(int), True), (Plain(int), "1"), (Plain(bool), 1), (Plain(str), None), (Plain(float), "1"),
    (Plain(float), 10**400),
    (Plain(float), [1]), (Plain(str, ("a", "b")), "c"), (Ints(), [1, 2.0]), (Ints(), 3), (Ints(), [2**70]),
    (Optional(Plain(int)), "x"), (Names(), []), (Names(), {"type": "U3", "values": [1]}),
    (Names(), {"type": "i8", "values": [1.5]}), (Names(), {"type": "i1", "values": [1000]}),
    (Names(), {"type": "M8[s]", "values": [1]}), (Names(), {"type": "O", "values": []}), (Names(), {"type": 3, "values": []}),
    (Names(), {"type": "U9", "values": ["x" * 2**14] + ["y"] * 2**13}),
    (Part(dict, a=Plain(int)), []), (Part(dict, a=Plain(int)), {}), (Part(dict, a=Plain(int)), {"a": 1, "b": 2}),
    (OneOf(x=(dict, Part(dict))), {"kind": "y"}), (OneOf(x=(dict, Part(dict))), {"kind": []}), (OneOf(), None),
])  # fmt: skip
def test_values_of_another_kind_are_refused(kind, said):
    with pytest.raises(ModelFileError, match=r"^here"):
        kind.read(said, "here", {})


@pytest.mark.parametrize("labels", [
    ["b", "a", "längst"], [1, -5, 2**62], [0.1, 1e300, -0.0], [True, False], np.array([3, 1], dtype=np.uint8),
    np.array(["x", "yy"], dtype=object), np.array([1.5, 2], dtype=np.float32), np.array([2**64 - 1], dtype=np.uint64),
])  # fmt: skip
def test_labels_keep_type_and_value(labels):
    labels = np.asarray(labels)
    back = there_and_back(Names(), labels)
    assert back.dtype == labels.dtype
    np.testing.assert_array_equal(back, labels)


@pytest.mark.parametrize(
    "labels", [np.array([(1, 2), None, 3], dtype=object), np.array(["2020"], dtype="M8[Y]"), [b"bytes"], [1j]]
)
def test_other_labels_cannot_be_written(labels):
    with pytest.raises(ModelFileError, match="labels of type"):
        Names().write(labels, "here", {})


def test_arrays_are_checked():
    """Type, number of dimensions, name, and the values of truth values."""
    kind = Numbers(np.int64, np.int32)
    assert there_and_back(kind, np.arange(3)).tolist() == [0, 1, 2]
    for wrong in (np.zeros(3), np.zeros((2, 2), dtype=np.int64)):
        with pytest.raises(ModelFileError, match="here"):
            kind.write(wrong, "here", {})
        with pytest.raises(ModelFileError, match="here: must be int64 or int32 of 1 dim"):
            kind.read("here", "here", {"here": wrong})
    for said in ("there", None, 3):
        with pytest.raises(ModelFileError, match="missing"):
            kind.read(said, "here", {"there": np.arange(3)})
    with pytest.raises(ModelFileError, match="truth"):
        Numbers(np.bool_).read("here", "here", {"here": np.array([0, 7], dtype=np.uint8).view(np.bool_)})


def test_rows_are_dense_or_sparse(rng):
    X = rng.normal(size=(4, 3)) * (rng.random((4, 3)) < 0.5)
    np.testing.assert_array_equal(there_and_back(Rows(), X), X)
    back = there_and_back(Rows(), sp.csr_matrix(X))
    assert sp.issparse(back)
    np.testing.assert_array_equal(back.toarray(), X)


@pytest.mark.parametrize("damage", [
    {"here.indices": np.array([0, 5, 1], dtype=np.int32)},
    {"here.indices": np.array([0, -1, 1], dtype=np.int32)},
    {"here.indices": np.array([0, 1, 1], dtype=np.int64)},
    {"here.indptr": np.array([0, 2], dtype=np.int32)},
    {"here.indptr": np.array([0, 5, 3], dtype=np.int32)},
    {"here.indptr": np.array([0, 2, 9], dtype=np.int32)},
    {"here.data": np.zeros(2)},
])  # fmt: skip
def test_damaged_sparse_rows_are_refused(damage):
    arrays = {}
    said = Rows().write(sp.csr_matrix(np.array([[1.0, 0, 2], [0, 3, 0]])), "here", arrays)
    with pytest.raises(ModelFileError, match="here"):
        Rows().read(said, "here", {**arrays, **damage})


@dataclass
class Pair:
    """Two numbers, the first the smaller one."""

    a: int
    b: np.ndarray

    def __post_init__(self):
        if self.a < 0:
            raise ValueError("a must not be negative")


def test_parts_are_made_of_their_fields():
    """Arrays have the path of their field; an error of the object itself names the part."""
    kind = OneOf(pair=(Pair, Part(Pair, a=Plain(int), b=Numbers(np.float64))))
    arrays = {}
    said = kind.write(Pair(1, np.ones(2)), "model.x", arrays)
    assert said == {"kind": "pair", "a": 1, "b": "model.x.b"}
    assert list(arrays) == ["model.x.b"]
    assert kind.read(said, "model.x", arrays).b.tolist() == [1.0, 1.0]
    with pytest.raises(ModelFileError, match=r"model\.x: a must not be negative"):
        kind.read({**said, "a": -1}, "model.x", arrays)
    with pytest.raises(ModelFileError, match="dict cannot be written; pair can"):
        kind.write({}, "model.x", arrays)
