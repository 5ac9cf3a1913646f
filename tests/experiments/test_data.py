"""Data sets come from a folder or from OpenML, pass the same checks, or it is said what is wrong."""

import os
import re

import datasets
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.datasets
from sklearn.utils import Bunch
from toy import small_sets

from experiments import data
from experiments.catalogue import CATALOGUE, Known
from experiments.data import DataSets, find_set, listed
from experiments.exceptions import DataError

SMALL = Known(2, {"train": (2, 1, 1), "test": (1, 1, 1)}, openml=7)
X_SMALL = np.arange(14.0).reshape(7, 2)
LABELS = ["9", "10", "9", "11", "9", "10", "11"]


@pytest.fixture
def online(monkeypatch):
    """No folder; a function that says what OpenML has, and a list of the ids that were fetched."""
    monkeypatch.delenv("DAGMAR_DATA", raising=False)
    fetched = []

    def offer(X, target):
        def fetch_openml(*, data_id, as_frame, parser):
            fetched.append((data_id, as_frame, parser))
            return Bunch(data=X, target=target)

        monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
        return fetched

    return offer


@pytest.fixture
def offline(monkeypatch):
    """No download works."""

    def fail(**options):
        raise OSError("no route to host")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fail)
    monkeypatch.setattr(sklearn.datasets, "fetch_covtype", fail)


# ------------------------------------------------------------------- a folder


def test_parts_and_rows(data_folder):
    """An official split gives its parts, and all rows one after the other; features are doubles."""
    tiny = small_sets(data_folder).load("tiny")
    X, y = tiny["train"]
    assert X.shape == (4, 2)
    assert X.dtype == np.float64
    assert y.tolist() == [0, 1, 0, 1]
    assert tiny["test"][1].tolist() == [0, 1]
    assert tiny.rows[0][:, 0].tolist() == [0, 2, 4, 6, 8, 10]
    assert len(tiny) == 6
    assert tiny.source == "a folder"
    assert list(small_sets(data_folder).load("whole").parts) == ["all"]


def test_taken_rows_are_those_of_all_parts(data_folder):
    """Rows can be taken in any order, over the border between parts."""
    tiny = small_sets(data_folder).load("tiny")
    rows = np.array([5, 0, 3, 4])
    for taken, whole in zip(tiny.take(rows), tiny.rows, strict=True):
        np.testing.assert_array_equal(taken, whole[rows])


def test_digest_of_the_file(data_folder):
    """The SHA-256 of every file read is known, and changes with it."""
    sets = small_sets(data_folder)
    sets.load("tiny")
    sets.load("whole")
    assert set(sets.digests) == {"tiny", "whole"}
    assert sets.digests["tiny"] != sets.digests["whole"]
    assert all(len(digest) == 64 for digest in sets.digests.values())


def test_folder_from_the_environment(data_folder, monkeypatch):
    """DAGMAR_DATA names the folder where none is given."""
    monkeypatch.setenv("DAGMAR_DATA", str(data_folder))
    assert DataSets().load("whole").source == "DAGMAR_DATA"


def test_several_folders_are_searched_in_order(data_folder, tmp_path, monkeypatch, offline):
    """They are separated as in PATH; the first folder that has a set is used, and an error names all of them."""
    first, last = tmp_path / "first", tmp_path / "last"
    for folder, y in ((first, [1, 0]), (last, [0, 1])):
        folder.mkdir()
        np.savez(folder / "both.npz", X=np.zeros((2, 1)), y=np.array(y))
    paths = os.pathsep.join(map(str, [first, "", data_folder, last]))
    monkeypatch.setenv("DAGMAR_DATA", paths)
    for sets in (DataSets(), DataSets(paths)):
        assert sets.load("both")["all"][1].tolist() == [1, 0]
        assert len(sets.load("whole")) == 6
        with pytest.raises(
            DataError, match=re.escape(f"there is no glass.npz in {first} or {data_folder} or {last}, and no copy")
        ):
            sets.load("glass")
    monkeypatch.setenv("DAGMAR_DATA", f"{first}{os.pathsep}{tmp_path / 'gone'}")
    with pytest.raises(DataError, match=r"there is no folder .*gone of data sets"):
        DataSets()


def test_tests_find_sets_in_several_folders(data_folder, tmp_path, monkeypatch):
    """As the experiments do; a test whose set is nowhere is skipped, and the reason names all folders."""
    monkeypatch.setenv("DAGMAR_DATA", f"{tmp_path}{os.pathsep}{data_folder}")
    assert datasets.names() == ["tiny", "whole"]
    assert set(datasets.arrays("whole")) == {"X", "y"}
    with pytest.raises(pytest.skip.Exception, match=re.escape(f"no glass.npz in {tmp_path} or {data_folder}") + "$"):
        datasets.arrays("glass")


def test_what_is_missing_is_named(data_folder, tmp_path, offline, monkeypatch):
    """No such folder, no such file and nothing online, no arrays: each is an error of its own."""
    with pytest.raises(DataError, match=r"no folder .*nowhere"):
        DataSets(tmp_path / "nowhere")
    with pytest.raises(
        DataError, match=r"'glass': there is no glass\.npz in .*, and no copy online .*\. Get it from: UCI, Glass"
    ):
        DataSets(data_folder).load("glass")
    for name, source in (("letter", "OpenML"), ("covertype", "scikit-learn")):
        with pytest.raises(DataError, match=rf"no {name}\.npz in .*, and {source} failed with: no route to host"):
            DataSets(data_folder).load(name)
    monkeypatch.delenv("DAGMAR_DATA", raising=False)
    with pytest.raises(DataError, match=r"no folder is named by DAGMAR_DATA, and OpenML failed"):
        DataSets().load("iris")
    np.savez(data_folder / "other.npz", features=np.zeros(3))
    with pytest.raises(DataError, match="neither arrays X and y"):
        DataSets(data_folder).load("other")


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.zeros((3, 2)), [0, 1], "do not fit together"),
        (np.zeros(3), [0, 1, 2], "do not fit together"),
        (np.array([[1.0], [np.nan]]), [0, 1], "missing or infinite"),
        (np.zeros((3, 2)), [1, 2, 3], r"classes are \[1, 2, 3\] instead of 0 \.\.\. 2"),
        (np.zeros((2, 2)), [0, 2], r"classes are \[0, 2\]"),
        (np.zeros((2, 2)), ["a", "b"], "whole numbers from 0"),
    ],
)
def test_any_set_must_be_consistent(X, y, message, tmp_path):
    """Shapes, finite values and numbered classes are checked also of sets that nobody knows."""
    np.savez(tmp_path / "odd.npz", X=X, y=np.array(y))
    with pytest.raises(DataError, match=f"odd.*{message}"):
        DataSets(tmp_path).load("odd")


@pytest.mark.parametrize(
    ("known", "message"),
    [
        (Known(3, {"all": (3, 3)}), "2 features instead of 3"),
        (Known(2, {"all": (3, 3, 1)}), "2 classes instead of 3"),
        (Known(2, {"all": (3, 4)}), "'all' has 6 rows instead of 7"),
        (Known(2, {"all": (2, 4)}), r"'all' has \(3, 3\) samples of the classes instead of \(2, 4\)"),
        (Known(2, {"train": (3, 3)}), "without train"),
    ],
)
def test_known_set_must_have_its_shape(known, message, data_folder):
    """Features, classes, rows and class counts of a file are those of the catalogue; what differs is named."""
    with pytest.raises(DataError, match=f"whole from a folder is not the set that it should be: .*{message}"):
        DataSets(data_folder, {"whole": known}).load("whole")


def test_refused_set_is_not_kept(data_folder):
    """A second attempt to load a wrong set fails as the first."""
    sets = DataSets(data_folder, {"whole": Known(3, {"all": (3, 3)})})
    for _ in range(2):
        with pytest.raises(DataError, match="features"):
            sets.load("whole")


@pytest.mark.parametrize("name", [n for n in CATALOGUE if n not in ("covertype", "mnist", "mnist7x7")])
def test_real_sets_are_those_of_the_catalogue(name, real_data):
    """The files of the data folders pass the checks."""
    if find_set(name, real_data.folders) is None:
        pytest.skip(f"there is no {name}.npz in {listed(real_data.folders)}")
    assert real_data.load(name).name == name


# --------------------------------------------------------------------- OpenML


@pytest.mark.parametrize(
    ("X", "target"),
    [
        (X_SMALL, np.array(LABELS, dtype=object)),
        (pd.DataFrame(X_SMALL), pd.Series(LABELS, dtype="category")),
        (pd.DataFrame(X_SMALL.astype(int)), pd.Series([int(label) for label in LABELS])),
        (sp.csr_matrix(X_SMALL), np.array(["d", "e", "d", "f", "d", "e", "f"])),
    ],
    ids=["strings", "categories", "numbers", "sparse"],
)
def test_openml_gives_the_shape_of_a_file(X, target, online, tmp_path, capsys):
    """Whatever labels and tables OpenML has, parts, types and classes are those of a file of the same set."""
    fetched = online(X, target)
    sets = DataSets(catalogue={"small": SMALL})
    there = sets.load("small")
    y = np.array([0, 1, 0, 2, 0, 1, 2], dtype=np.uint8)
    np.savez(tmp_path / "small.npz", X_train=X_SMALL[:4], y_train=y[:4], X_test=X_SMALL[4:], y_test=y[4:])
    here = DataSets(tmp_path, {"small": SMALL}).load("small")
    assert list(there.parts) == list(here.parts)
    for part in here.parts:
        for a, b in zip(there[part], here[part], strict=True):
            np.testing.assert_array_equal(a, b)
            assert a.dtype == b.dtype
    assert there.source == "OpenML"
    assert len(sets.digests["small"]) == 64
    assert sets.load("small") is there
    assert fetched == [(7, False, "liac-arff")]
    assert "small comes from OpenML" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("X", "labels", "message"),
    [
        (X_SMALL[:6], LABELS[:6], "6 rows instead of 7"),
        (X_SMALL[:, :1], LABELS, "1 features instead of 2"),
        (X_SMALL, [*LABELS[:6], "12"], "4 classes instead of 3"),
        (X_SMALL, LABELS[::-1], r"'train' has \(1, 1, 2\) samples of the classes instead of \(2, 1, 1\)"),
        (np.where(X_SMALL == 3, np.nan, X_SMALL), LABELS, "missing or infinite"),
    ],
    ids=["rows", "features", "classes", "order", "missing values"],
)
def test_wrong_set_from_openml_is_refused(X, labels, message, online):
    """Downloads pass the checks of files: rows in another order, or another version of a set, are refused by name."""
    online(X, np.array(labels, dtype=object))
    with pytest.raises(DataError, match=f"small from OpenML.*{message}"):
        DataSets(catalogue={"small": SMALL}).load("small")


def test_folder_without_the_set_falls_back_to_openml(data_folder, online):
    """What the folder has is read; what it lacks is downloaded."""
    online(X_SMALL, np.array(LABELS, dtype=object))
    sets = DataSets(data_folder, {"small": SMALL})
    assert sets.load("small").source == "OpenML"
    assert sets.load("whole").source == "a folder"


def test_iris_by_its_labels(online):
    """A real entry of the catalogue: 150 rows with names of flowers."""
    X, y = sklearn.datasets.load_iris(return_X_y=True)
    fetched = online(X, np.array(["Iris-setosa", "Iris-versicolor", "Iris-virginica"], dtype=object)[y])
    np.testing.assert_array_equal(DataSets().load("iris")["all"][1], y)
    assert fetched[0][0] == CATALOGUE["iris"].openml


def test_covertype_comes_from_scikit_learn(monkeypatch):
    """Its classes 1 ... 7 become 0 ... 6, and its rows are split into the three official parts."""
    monkeypatch.delenv("DAGMAR_DATA", raising=False)
    y = np.array([1, 2, 2, 1, 1, 2])
    monkeypatch.setattr(sklearn.datasets, "fetch_covtype", lambda *, return_X_y: (X_SMALL[:6], y))
    known = Known(2, {"train": (1, 1), "val": (1, 1), "test": (1, 1)})
    covertype = DataSets(catalogue={"covertype": known}).load("covertype")
    assert {part: y.tolist() for part, (_, y) in covertype.parts.items()} == {
        "train": [0, 1],
        "val": [1, 0],
        "test": [0, 1],
    }
    assert covertype.source == "scikit-learn"


def test_small_mnist_is_made_of_mnist(tmp_path):
    """Where the folder lacks it, MNIST with 49 features is the mean of blocks of 4 by 4 pixels."""
    X = np.zeros((2, 784), dtype=np.uint8)
    X.reshape(2, 28, 28)[0, :4, 4:8] = 255
    X.reshape(2, 28, 28)[1, 27, 27] = 160
    y = np.arange(2)
    np.savez(tmp_path / "mnist.npz", X_train=X, y_train=y, X_test=X, y_test=y)
    made, _ = small_sets(tmp_path).load("mnist7x7")["train"]
    assert made.shape == (2, 49)
    assert made[0].nonzero()[0].tolist() == [1]
    assert made[0, 1] == 1.0
    assert made[1, 48] == np.float32(10 / 255)


def test_blur_keeps_the_sum_inside():
    """A spot in the middle is spread, and nothing is lost."""
    X = np.zeros((1, 81))
    X[0, 40] = 1.0
    out = data.blurred(X, 0.8)
    assert out.sum() == pytest.approx(1.0, abs=1e-3)
    assert out[0, 40] < 0.3


# ----------------------------------------------------- what must be got by hand


def test_sets_that_cannot_be_downloaded_say_where_they_are():
    """Every set of the catalogue is online, made from another, or named with its place and the digest of its arrays."""
    for name, known in CATALOGUE.items():
        at_hand = data.online.source_of(name, known) is not None or name == "mnist7x7"
        assert at_hand == (known.origin is None), name
        if known.origin is not None:
            assert re.fullmatch("[0-9a-f]{64}", known.origin.sha256)
            words = data.how_to_get(name, known.origin)
            assert f"{name}.npz" in words
            assert known.origin.sha256 in words


@pytest.mark.parametrize("name", [name for name, known in CATALOGUE.items() if known.origin])
def test_fingerprints_are_those_of_the_real_sets(real_data, name):
    """The digest of the catalogue is that of the set."""
    if find_set(name, real_data.folders) is None:
        pytest.skip(f"no {name}.npz")
    assert data.fingerprint(real_data.load(name), CATALOGUE[name]) == CATALOGUE[name].origin.sha256


def test_fingerprint_does_not_depend_on_the_file(tmp_path):
    """The same numbers in another type, or beside other parts, have the same digest; other numbers have another."""
    X, y, known = np.array([[0.1, 2.0], [3.0, 4.0]]), np.array([0, 1]), Known(2, {"train": (1, 1)})
    np.savez(tmp_path / "a.npz", X_train=X, y_train=y)
    np.savez_compressed(
        tmp_path / "b.npz", X_train=X.astype(np.float32), y_train=y.astype(np.uint8), X_test=X, y_test=y
    )
    np.savez(tmp_path / "c.npz", X_train=X + 1, y_train=y)
    sets = small_sets(tmp_path)
    a, b, c = (data.fingerprint(sets.load(name), known) for name in "abc")
    assert a == b
    assert a != c
