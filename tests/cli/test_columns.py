"""Columns are matched by name, and labels get the type of the model's."""

import numpy as np
import polars as pl
import pytest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline

import dagmar
from dagmar.cli.columns import class_weights, for_model, for_training, labels_like, labels_to_train_on, no_column
from dagmar.cli.errors import Failed, Misuse
from dagmar.cli.models import Loaded
from dagmar.cli.reading import open_data

NAMES = ["sepal_length", "sepal_width", "petal_length", "petal_width"]


@pytest.fixture
def data(files):
    return open_data(files / "iris.csv")


@pytest.fixture
def named(iris):
    return Loaded(dagmar.SVC().fit(iris[0].select(NAMES), iris[0]["species"]))


@pytest.fixture
def unnamed(X_y):
    return Loaded(dagmar.SVC().fit(*X_y[0]))


def test_training_takes_all_columns_but_those_named(data):
    wanted = for_training(data, "species", "petal_width", ["sepal_length"])
    assert (wanted.features, wanted.target, wanted.weights) == (NAMES[1:3], "species", "petal_width")


def test_training_needs_a_target_and_a_feature(data):
    with pytest.raises(Misuse, match=r"--target COLUMN; columns are sepal_length, .*species$"):
        for_training(data, None, None, [])
    with pytest.raises(Misuse, match="no column is left"):
        for_training(data, "species", None, NAMES)


def test_missing_column_is_named_with_those_there(data):
    for named in (("specis", None, []), ("species", "w", []), ("species", None, ["id"])):
        with pytest.raises(Misuse, match=r"no column '.*'; columns are sepal_length, sepal_width"):
            for_training(data, *named)
    assert no_column("specis", data.columns).message.endswith("Did you mean 'species'?")


def test_model_takes_its_columns_by_name(data, named, tmp_path, iris):
    wanted = for_model(data, named)
    assert (wanted.features, wanted.names, wanted.target) == (NAMES, NAMES, None)
    assert for_model(data, named, needs_target=True).target == "species"
    iris[0].drop("petal_width").write_csv(tmp_path / "less.csv")
    with pytest.raises(Misuse, match="no column 'petal_width'"):
        for_model(open_data(tmp_path / "less.csv"), named)
    iris[0].drop("species").write_csv(tmp_path / "unlabelled.csv")
    unlabelled = open_data(tmp_path / "unlabelled.csv")
    assert for_model(unlabelled, named).features == NAMES
    with pytest.raises(Misuse, match="no column 'species'"):
        for_model(unlabelled, named, needs_target=True)


def test_model_without_names_takes_columns_in_order(data, unnamed):
    assert for_model(data, unnamed, "species").features == NAMES
    with pytest.raises(Misuse, match="has 5 columns besides the target"):
        for_model(data, unnamed)
    with pytest.raises(Misuse, match="does not know its target"):
        for_model(data, unnamed, needs_target=True)
    with pytest.raises(Misuse, match="no column 'rose'"):
        for_model(data, unnamed, "rose")


def test_imputer_allows_missing_values(data, iris):
    model = make_pipeline(SimpleImputer(), dagmar.SVC()).fit(iris[0].select(NAMES), iris[0]["species"])
    assert for_model(data, Loaded(model)).may_miss


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["1", "-2"], [1, -2]),
        (["1", "two"], ["1", "two"]),
        (["01", "2"], ["01", "2"]),
        (["1.0", "2.0"], ["1.0", "2.0"]),
        (["true", "false"], ["true", "false"]),
        (["99999999999999999999", "1"], ["99999999999999999999", "1"]),
        ([True, False], [True, False]),
        ([3, 4], [3, 4]),
        ([3.0, 4.0], [3.0, 4.0]),
    ],
)
def test_labels_to_train_on(given, expected):
    """Whole numbers become ints only if they would be written the same way."""
    labels = labels_to_train_on(pl.Series("y", given), "y").to_list()
    assert labels == expected
    assert {type(label) for label in labels} == {type(label) for label in expected}


def test_categories_are_texts():
    assert labels_to_train_on(pl.Series(["b", "a"]).cast(pl.Categorical), "y").to_list() == ["b", "a"]


def test_labels_that_are_no_classes_are_refused():
    refused = {"fractions": [0.5, 1.0], "with fractions": ["0.5", "1"], "no label in row 1": ["a", None], "type": [[1]]}
    for why, given in refused.items():
        with pytest.raises(Failed, match=why):
            labels_to_train_on(pl.Series(given), "y")


@pytest.mark.parametrize(
    ("given", "classes", "expected"),
    [
        (["3", "1"], np.array([1, 3]), [3, 1]),
        ([3.0, 1.0], np.array([1, 3]), [3, 1]),
        (["3", "1"], np.array(["1", "3"]), ["3", "1"]),
        ([3, 1], np.array(["1", "3"]), ["3", "1"]),
        (["3.0", "1"], np.array([1.0, 3.0]), [3.0, 1.0]),
        (["True", "0"], np.array([False, True]), [True, False]),
    ],
)
def test_labels_like_those_of_a_model(given, classes, expected):
    assert labels_like(pl.Series(given), classes, "y").tolist() == expected


def test_labels_of_another_type_are_named():
    with pytest.raises(Failed, match=r"label 'x' in row 11, but the labels of the model are whole numbers: 1, 3"):
        labels_like(pl.Series(["1", "x"]), np.array([1, 3]), "y", 10)
    with pytest.raises(Failed, match="no label in row 10"):
        labels_like(pl.Series([" "]), np.array(["a"]), "y", 10)


def test_class_weights():
    assert class_weights(None, ["a"]) is None
    assert class_weights("balanced", ["a"]) == "balanced"
    assert class_weights("a=2, b=0.5", ["a", "b", "c"]) == {"a": 2.0, "b": 0.5}
    with pytest.raises(Misuse, match=r"'d' is no class.*Classes are a, b"):
        class_weights("d=1", ["a", "b"])
    with pytest.raises(Misuse, match="must be a number, not 'much'"):
        class_weights("a=much", ["a", "b"])
