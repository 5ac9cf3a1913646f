"""The file of labels beside a LIBSVM model."""

import json

import numpy as np
import pytest

from dagmar.interop.libsvm_labels import labels_path, libsvm_labels, read_labels, write_labels

LABELS = {
    "texts": np.array(["a", "ü", 'with "quotes" and \\']),
    "objects": np.array(list("abc"), dtype=object),
    "floats": np.array([0.1, 1 / 3, -1e300]),
    "truth values": np.array([False, True]),
    "large numbers": np.array([2**40, -(2**62)]),
}


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "a.model"
    path.write_bytes(b"a model")
    return path


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_labels_come_back(model, labels):
    """With their values and their kind, in their order."""
    write_labels(model, labels, b"a model")
    back = read_labels(model, len(labels))
    assert back.tolist() == labels.tolist()
    assert back.dtype.kind == {"O": "U"}.get(labels.dtype.kind, labels.dtype.kind)


def test_whole_numbers_of_32_bits_need_no_file(model):
    """Also as floats; nothing beside a model means no labels."""
    assert libsvm_labels(np.array([2.0, -3.0])).tolist() == [2, -3]
    assert libsvm_labels(np.array([2**31 - 1], dtype=np.uint64)).tolist() == [2**31 - 1]
    for other in LABELS.values():
        assert libsvm_labels(other) is None
    assert libsvm_labels(np.array([np.inf, np.nan])) is None
    assert read_labels(model, 2) is None


def test_labels_of_another_model_are_not_used(model):
    """A warning says so: they would be wrong."""
    write_labels(model, LABELS["texts"], b"another model")
    with pytest.warns(UserWarning, match="belongs to another model file and is not used"):
        assert read_labels(model, 3) is None


def test_other_labels_cannot_be_written(model):
    for labels in (np.array([(1, 2), "a"], dtype=object), np.array(["2020-01-01"], dtype="datetime64[D]")):
        with pytest.raises(ValueError, match="use str, int, float or bool"):
            write_labels(model, labels, b"a model")
    assert not labels_path(model).exists()


DAMAGED = {
    "not JSON": "{",
    "no list": '{"labels": 3}',
    "no object": "[1]",
    "too few": ["a"],
    "twice": ["a", "a"],
    "of two types": ["a", 1],
    "of no type": [None, None],
    "too large": [2**70, 1],
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_damaged_files_are_refused_by_name(model, content):
    write_labels(model, np.array(["a", "b"]), b"a model")
    path = labels_path(model)
    if isinstance(content, list):
        content = json.dumps({**json.loads(path.read_text()), "labels": content})
    path.write_text(content)
    with pytest.raises(ValueError, match=r"a\.model\.labels\.json: "):
        read_labels(model, 2)
