"""The data of the workbench."""

import numpy as np
import pandas as pd
import pytest

from experiments.compare.sets import Source, prepare, sources_of
from experiments.exceptions import DataError


def source(counts, n_features=2):
    """A set with this many rows of each class."""
    y = np.repeat(np.arange(len(counts)), counts)
    return Source("set", lambda: (np.arange(len(y) * n_features, dtype=float).reshape(len(y), n_features), y))


def test_rows_are_drawn_with_the_shares_of_the_classes():
    """No more rows than asked for, the same ones for the same seed, others for another."""
    data = prepare(source([600, 300, 100]), 100, 0)
    assert np.bincount(data.y).tolist() == [60, 30, 10]
    assert data.all_rows == 1000
    assert data.describe()["digest"] == prepare(source([600, 300, 100]), 100, 0).describe()["digest"]
    assert data.describe()["digest"] != prepare(source([600, 300, 100]), 100, 1).describe()["digest"]


def test_small_classes_are_left_out():
    """Classes that five folds of the training rows cannot have, before and after rows are drawn; classes are numbered anew."""
    data = prepare(source([7, 500, 20, 480]), 100, 0)
    assert np.bincount(data.y).tolist() == [50, 48]
    with pytest.raises(DataError, match="fewer than two classes"):
        prepare(source([100, 7]), 100, 0)


def test_description_has_the_shape():
    """What questions about kinds of data need."""
    X = np.column_stack([np.tile([0.0, 1.0], 20), np.arange(40.0)])
    told = prepare(Source("set", lambda: (X, np.repeat([0, 1], [30, 10]))), 100, 0).describe()
    assert (told["rows"], told["features"], told["classes"], told["least_per_class"]) == (40, 2, 2, 10)
    assert told["two_valued"] == 0.5
    assert told["largest_class"] == 0.75


def test_csv_becomes_numbers(tmp_path):
    """Words become 0/1 columns, missing numbers the median; rows without a class and constant columns are left out."""
    file = tmp_path / "flowers.csv"
    file.write_text("size;colour;same;kind\n1;red;5;a\n;blue;5;b\n3;red;5;a\n8;red;5;\n5;blue;5;b\n")
    X, y = sources_of([f"{file}:kind"])[0].read()
    np.testing.assert_array_equal(X, [[1, 0, 1], [3, 1, 0], [3, 0, 1], [5, 1, 0]])
    assert y.tolist() == [0, 1, 0, 1]


def test_numbers_in_the_class_column_are_classes(tmp_path):
    """In the order of their values."""
    file = tmp_path / "numbers.csv"
    pd.DataFrame({"a": [1.0, 2.0, 4.0], "n": [10, 9, 10]}).to_csv(file, index=False)
    (one,) = sources_of([f"{file}:n"])
    assert one.name == "numbers"
    assert one.read()[1].tolist() == [1, 0, 1]


def test_folders_and_names(data_folder, monkeypatch):
    """A folder gives all its sets; without --data, the folders of DAGMAR_DATA do; a name is looked up there."""
    assert [one.name for one in sources_of([str(data_folder)])] == ["tiny", "whole"]
    monkeypatch.setenv("DAGMAR_DATA", str(data_folder))
    assert [one.name for one in sources_of([])] == ["tiny", "whole"]
    (one,) = sources_of(["whole"])
    assert one.read()[0].shape == (6, 2)
    assert sources_of(["61"])[0].name == "openml-61"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere.csv:kind"], "there is no file nowhere.csv"),
        (["flowers.csv"], "which column of flowers.csv has the classes"),
        (["flowers.csv:sort"], "has no column 'sort'; it has size, kind"),
        (["flowers.csv:kind", "flowers.csv:size"], "more than one set has the name flowers"),
        (["empty"], "there is no .npz file in empty"),
        ([], "no data: give --data"),
    ],
)
def test_wrong_words_are_told(words, message, tmp_path, monkeypatch):
    """The error says what is wrong and what to write."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DAGMAR_DATA", raising=False)
    (tmp_path / "empty").mkdir()
    (tmp_path / "flowers.csv").write_text("size,kind\n1,a\n2,b\n")
    with pytest.raises(DataError, match=message):
        sources_of(words)[0].read()
