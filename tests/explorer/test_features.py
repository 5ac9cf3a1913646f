"""The features that a page shows."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import dagmar
from dagmar.explorer.features import Table, check_image, compact_features, guess_image
from dagmar.explorer.packing import unpacked

NUMBERS = np.array([[1.0, 2.0], [3.0, np.nan], [-1.0, 5.0]])


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame(NUMBERS, columns=["a", "b"]),
        pl.DataFrame(NUMBERS, schema=["a", "b"]),
        pa.table({"a": NUMBERS[:, 0], "b": NUMBERS[:, 1]}),
    ],
    ids=["pandas", "polars", "pyarrow"],
)
def test_frames_have_names(X):
    """The columns of a data frame of any library are the names of the features."""
    table = Table.of(X)
    assert table.names == ["a", "b"]
    assert np.array_equal(table.numbers, NUMBERS, equal_nan=True)


def test_arrays_have_no_names():
    """Arrays, sparse matrices, and frames whose columns are numbers."""
    assert Table.of(NUMBERS).names is None
    assert Table.of(sp.csr_matrix(np.eye(2))).names is None
    assert Table.of(pd.DataFrame(NUMBERS)).names is None


@pytest.mark.parametrize("X", [np.array(["a text", "another"]), np.array([["x", "y"]]), np.zeros(3)], ids=repr)
def test_what_is_no_table_of_numbers(X):
    """Texts and lists of numbers have no features to show."""
    assert Table.of(X) is None


def test_ranges_leave_missing_values_out():
    """The lowest and highest of what is there; a feature without values has none."""
    low, high = Table.of(np.column_stack([NUMBERS, np.full(3, np.nan)])).ranges()
    assert low.tolist() == [-1.0, 2.0, 0.0]
    assert high.tolist() == [3.0, 5.0, 0.0]
    low, high = Table.of(sp.csr_matrix([[0.0, 2.0], [0.0, 3.0]])).ranges()
    assert (low.tolist(), high.tolist()) == ([0.0, 2.0], [0.0, 3.0])


def test_numbers_far_from_zero_keep_their_differences():
    """Times in seconds since 1970 differ by less than float32 can tell, unless their offset is stored."""
    X = 1.7e9 + np.arange(10.0)[:, None] / 7
    said = compact_features(Table.of(X), np.arange(10), None, None)
    back = unpacked(said["numbers"]).astype(float) + unpacked(said["offset"])
    assert np.abs(back - X).max() < 1e-6
    assert unpacked(said["whole"]).tolist() == [0]


def test_whole_numbers_are_known():
    """A feature of whole numbers, with or without missing values, moves in whole steps; small ones have no offset."""
    said = compact_features(Table.of(np.column_stack([NUMBERS, [0.5, 1, 2]])), np.arange(3), ["a", "b", "c"], "PCA")
    assert unpacked(said["whole"]).tolist() == [1, 1, 0]
    assert unpacked(said["offset"]).tolist() == [0, 0, 0]
    assert (said["names"], said["after"]) == (["a", "b", "c"], "PCA")


def test_image_must_fit():
    """Height and width are two whole numbers whose product is the number of features."""
    assert check_image(None, 5) is None
    assert check_image((2, 3), 6) == [2, 3]
    for image, features, why in [
        ((8, 8), 63, "63 features"),
        ((8, 8), None, "no features that can be shown"),
        ((8,), 8, "two whole numbers"),
        ((0, 8), 0, "two whole numbers"),
        ((2.5, 2), 5, "two whole numbers"),
        ("8x8", 64, "two whole numbers"),
    ]:
        with pytest.raises(dagmar.InvalidParameterError, match=why):
            check_image(image, features)


def test_images_are_guessed_from_the_number_of_features():
    """64, 256 and 784 features are square images, unless their names say that they are something else."""
    for n, side in [(64, 8), (256, 16), (784, 28)]:
        assert guess_image(n, None) == [side, side]
        assert guess_image(n, [f"pixel_{k // side}_{k % side}" for k in range(n)]) == [side, side]
        assert guess_image(n, ["age", *(f"x{k}" for k in range(n - 1))]) is None
    assert guess_image(81, None) is None
