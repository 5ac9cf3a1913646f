"""Data frames of pandas and polars and tables of pyarrow: the labels of arrays, with their names checked."""

import warnings

import numpy as np
import pandas as pd
import pytest
from helpers import blobs
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as TheirSVC

import dagmar

NAMES = ["a", "b", "c", "d", "e"]


def pandas_frame(X):
    return pd.DataFrame(X, columns=NAMES)


def pandas_nullable(X):
    return pandas_frame(X).convert_dtypes()


def polars_frame(X):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    return polars.DataFrame(X, schema=NAMES)


def pyarrow_table(X):
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    return pyarrow.table({name: np.array(X[:, i]) for i, name in enumerate(NAMES)})


every_table = pytest.mark.parametrize("table", [pandas_frame, pandas_nullable, polars_frame, pyarrow_table])

CLASSIFIERS = [
    dagmar.SVC(gamma=0.1),
    dagmar.SVC(kernel="linear", structure="fisher_tree"),
    dagmar.SVCCV([1.0, 10.0], [0.1], 2),
    dagmar.PairwiseClassifier(LogisticRegression(), "fisher_tree"),
]
every_classifier = pytest.mark.parametrize("clf", CLASSIFIERS, ids=lambda clf: type(clf).__name__, indirect=True)


@pytest.fixture
def clf(request):
    """A classifier of the test's own: no fitted model is kept until the process ends."""
    return clone(request.param)


@pytest.fixture(scope="module")
def five_columns():
    """Three classes in five dimensions that overlap."""
    return blobs(seed=5, n_classes=3, per_class=30, n_features=5, spread=2.0)


def permuted(table):
    """The same table with two columns in the other order."""
    order = ["b", "a", "c", "d", "e"]
    return table.select(order) if hasattr(table, "select") else table[order]


@every_table
@every_classifier
def test_tables_get_the_labels_of_arrays(five_columns, table, clf):
    """Fit and every method take a table, remember its names, and refuse other names in scikit-learn's words."""
    X, y = five_columns
    expected = clf.fit(X, y).predict(X)
    values = clf.pair_decisions(X)
    given = table(X)
    clf.fit(given, y)
    assert clf.feature_names_in_.tolist() == NAMES
    np.testing.assert_array_equal(clf.predict(given), expected)
    np.testing.assert_allclose(clf.pair_decisions(given), values, rtol=1e-9, atol=1e-9)
    assert str(clf.explain(table(X[:1]))).splitlines()[-1] == f"Answer: {expected[0]}"
    for method in (clf.predict, clf.decision_function, clf.decision_path):
        with pytest.raises(ValueError, match="feature names should match"):
            method(permuted(given))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        np.testing.assert_array_equal(clf.predict(X), expected)


def outcome(clf, X):
    """The labels with the warnings of a prediction, or its error."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            labels = clf.predict(X).tolist()
        except ValueError as error:
            return str(error)
    return labels, [str(w.message) for w in said]


@every_table
def test_names_are_checked_as_scikit_learn_does(rng, table):
    """With and without names at fit and at predict, labels, warnings and errors are those of sklearn.svm.SVC."""
    X, y = rng.normal(size=(60, 5)), np.arange(60) % 3
    given = table(X)
    for fitted_on, asked in ((given, X), (X, given), (given, permuted(given)), (given, given), (given, table(X[:1]))):
        ours, theirs = (outcome(clf.fit(fitted_on, y), asked) for clf in (dagmar.SVC(), TheirSVC()))
        assert ours == theirs


@pytest.mark.parametrize("table", [pandas_frame, polars_frame])
def test_other_numbers_in_a_frame(rng, table):
    """Whole numbers, single precision and mixtures are decided as their values; missing and infinite ones are refused."""
    X, y = rng.integers(0, 5, size=(60, 5)), np.arange(60) % 3
    clf = dagmar.SVC(gamma=0.5).fit(table(X.astype(float)), y)
    expected = clf.predict(table(X.astype(float)))
    for form in (np.int64, np.int8, np.uint16, np.float32):
        np.testing.assert_array_equal(clf.predict(table(X.astype(form))), expected)
    mixed = pd.DataFrame({name: X[:, i].astype(float if i % 2 else int) for i, name in enumerate(NAMES)})
    np.testing.assert_array_equal(clf.predict(mixed), expected)
    for wrong, words in ((np.nan, "NaN"), (np.inf, "infinity")):
        bad = X.astype(float)
        bad[7, 3] = wrong
        with pytest.raises(ValueError, match=words):
            clf.predict(table(bad))


def test_missing_values_and_words_are_refused(rng):
    """Missing values of any type, and words, are errors; numbers in columns of other types are numbers."""
    X, y = rng.normal(size=(60, 5)), np.arange(60) % 3
    clf = dagmar.SVC().fit(pandas_frame(X), y)
    expected = clf.predict(pandas_frame(X))
    nullable = pandas_nullable(X)
    nullable.loc[3, "b"] = pd.NA
    with pytest.raises(ValueError, match="NaN"):
        clf.predict(nullable)
    words = pandas_frame(X).astype(object)
    np.testing.assert_array_equal(clf.predict(words), expected)
    words.loc[3, "b"] = "word"
    with pytest.raises(ValueError, match="could not convert string to float"):
        clf.predict(words)
    np.testing.assert_array_equal(clf.predict(pandas_frame(X > 0)), clf.predict(pandas_frame((X > 0).astype(float))))


@every_classifier
def test_one_row_as_a_series(five_columns, clf):
    """Explain takes a row with its names, in their order; predict says what to write instead."""
    X, y = five_columns
    frame = pandas_frame(X)
    clf.fit(frame, y)
    assert str(clf.explain(frame.iloc[0])) == str(clf.explain(frame.iloc[[0]]))
    with pytest.raises(ValueError, match="feature names should match"):
        clf.explain(frame.iloc[0][["b", "a", "c", "d", "e"]])
    mixed = frame.iloc[0].astype(object)
    assert str(clf.explain(mixed)) == str(clf.explain(frame.iloc[0]))


@pytest.mark.parametrize("clf", CLASSIFIERS[:3], ids=lambda clf: type(clf).__name__, indirect=True)
def test_a_series_is_not_a_table(five_columns, clf):
    """What scikit-learn calls a 1D array is refused with the words that help, without a warning about names before."""
    X, y = five_columns
    frame = pandas_frame(X)
    with pytest.raises(ValueError, match=r"Expected 2D array.*frame\.iloc\[\[i\]\] or series\.to_frame\(\)\.T"):
        clf.fit(frame["a"], y)
    clf.fit(frame, y)
    for method in (clf.predict, clf.decision_function, clf.decision_cost):
        with pytest.raises(ValueError, match=r"Expected 2D array, got 1D array instead: X is a Series"):
            method(frame.iloc[0])
    row = frame.iloc[0].to_frame().T
    np.testing.assert_array_equal(clf.predict(row), clf.predict(frame.iloc[[0]]))


@every_classifier
def test_lazy_frames_say_what_to_do(five_columns, clf):
    """A LazyFrame has no values yet."""
    X, y = five_columns
    frame = polars_frame(X)
    with pytest.raises(TypeError, match=r"pass X\.collect\(\)"):
        clf.fit(frame.lazy(), y)
    clf.fit(frame, y)
    for method in (clf.predict, clf.explain):
        with pytest.raises(TypeError, match=r"pass X\.collect\(\)"):
            method(frame.lazy())
    np.testing.assert_array_equal(clf.predict(frame.lazy().collect()), clf.predict(frame))


@every_table
def test_columns_by_name_inside_the_machines(rng, table):
    """The machines of a PairwiseClassifier get tables, so that their pipelines can choose columns by name."""
    X, y = rng.normal(size=(90, 5)), np.arange(90) % 3
    machine = make_pipeline(make_column_transformer((StandardScaler(), ["b", "d"])), LogisticRegression())
    clf = dagmar.PairwiseClassifier(machine).fit(table(X), y)
    plain = dagmar.PairwiseClassifier(make_pipeline(StandardScaler(), LogisticRegression())).fit(X[:, [1, 3]], y)
    np.testing.assert_array_equal(clf.predict(table(X)), plain.predict(X[:, [1, 3]]))


@pytest.mark.parametrize("module", ["polars", "pyarrow"])
def test_labels_of_other_libraries(seven_blobs, module):
    """Y may be a Series of polars or an array of pyarrow."""
    library = pytest.importorskip(module, reason=f"{module} is not installed")
    X, y = seven_blobs
    words = np.array(list("abcdefg"))[y]
    given = library.Series(words) if module == "polars" else library.array(words)
    clf = dagmar.SVC().fit(X, given)
    assert clf.classes_.tolist() == list("abcdefg")
    np.testing.assert_array_equal(clf.predict(X), dagmar.SVC().fit(X, words).predict(X))
