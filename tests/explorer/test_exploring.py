"""`dagmar.explore`: what a page holds, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from pages import data_of
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import NuSVC

import dagmar
from dagmar.explorer.packing import unpacked


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return dagmar.SVC(gamma=0.001, structure="ddag").fit(X[:500], y[:500]), X[500:], y[500:]


def test_page_has_the_figures_of_the_classifier(digits):
    """Accuracy, confusion matrix, labels and cost are those of the public methods."""
    clf, X, y = digits
    made = dagmar.explore(clf, X, y, image=(8, 8))
    predicted, cost, data = clf.predict(X), clf.decision_cost(X), data_of(made)
    assert made.accuracy == np.mean(predicted == y) == data["overview"]["accuracy"]
    assert (made.rows, made.shown, made.what_if) == (len(X), len(X), True)
    counts = np.zeros((10, 10), dtype=int)
    for t, p, n in unpacked(data["overview"]["confusion"]):
        counts[t, p] = n
    assert np.array_equal(counts, confusion_matrix(y, predicted))
    assert np.array_equal(clf.classes_[unpacked(data["samples"]["answer"])], predicted)
    assert data["overview"]["machines"] == cost.machines.mean()
    assert data["overview"]["evaluations"] == cost.kernel_evaluations.mean()
    assert data["overview"]["size"] == cost.size_in_parameters
    assert data["image"] == [8, 8]


def test_more_rows_than_the_limit_are_chosen(digits):
    """Errors stay, the figures are those of all rows, and the same seed gives the same page."""
    clf, X, y = digits
    made, again = (dagmar.explore(clf, X, y, max_rows=200) for _ in range(2))
    other = dagmar.explore(clf, X, y, max_rows=200, random_state=1)
    assert (made.rows, made.shown, made.accuracy) == (len(X), 200, np.mean(clf.predict(X) == y))
    places = unpacked(data_of(made)["samples"]["place"])
    assert np.isin(np.flatnonzero(clf.predict(X) != y), places).all()
    assert made.html == again.html
    assert made.html != other.html


def test_wide_rows_are_fewer(digits, monkeypatch):
    """The numbers of the samples have a limit, too."""
    clf, X, y = digits
    monkeypatch.setattr("dagmar.explorer.exploring.MOST_NUMBERS", 64 * 100)
    assert dagmar.explore(clf, X, y).shown == 100


def test_labels_are_not_needed(digits):
    """Without labels there is neither accuracy nor confusion."""
    clf, X, _ = digits
    made = dagmar.explore(clf, X)
    data = data_of(made)
    assert made.accuracy is None
    assert data["overview"]["confusion"] is data["samples"]["truth"] is None


def test_frames_lists_and_names(three_blobs):
    """Columns of a frame are named in the page; lists and labels of any type are taken."""
    X, y = three_blobs
    frame, labels = pd.DataFrame(X, columns=["width", "height"]), pd.Series(np.array(["a", "b", "c"])[y])
    clf = dagmar.SVC().fit(frame, labels)
    assert data_of(dagmar.explore(clf, frame, labels))["features"]["names"] == ["width", "height"]
    clf = dagmar.SVC().fit(X, y.astype(bool))
    data = data_of(dagmar.explore(clf, X.tolist(), y.astype(bool).tolist(), title="Two"))
    assert (data["classes"], data["title"]) == (["False", "True"], "Two")


@pytest.mark.parametrize(
    ("clf", "words"),
    [
        (dagmar.SVC(), "rbf kernel, gamma 0."),
        (dagmar.SVC(gamma=[0.1, 0.2, 0.3]), "rbf kernel, a gamma for each pair"),
        (dagmar.SVC(kernel="linear", C=0.5), "linear kernel, C 0.5"),
        (dagmar.SVC(C=[1, 2, 3]), "a C for each pair"),
        (dagmar.SVC(kernel="poly", degree=2), "degree 2, coef0 0"),
        (dagmar.PairwiseClassifier(LogisticRegression()), "LogisticRegression"),
    ],
    ids=str,
)
def test_machines_are_named(clf, words, three_blobs):
    """The page says what its machines are."""
    X, y = three_blobs
    assert words in data_of(dagmar.explore(clone(clf).fit(X, y), X))["machines"]


def test_unknown_C_is_not_named(three_blobs):
    """A NuSVC has no C, so the page names none."""
    X, y = three_blobs
    clf = dagmar.from_sklearn(NuSVC().fit(X, y))
    assert " C " not in data_of(dagmar.explore(clf, X))["machines"]


def test_image_is_guessed_unless_told(digits):
    """Digits are images without being told; None and features after other steps are no images."""
    clf, X, y = digits
    guessed, told, off = (
        data_of(dagmar.explore(clf, X[:9], **how)) for how in ({}, {"image": (4, 16)}, {"image": None})
    )
    assert (guessed["image"], guessed["imageGuessed"]) == ([8, 8], True)
    assert (told["image"], told["imageGuessed"]) == ([4, 16], False)
    assert off["image"] is None
    turned = make_pipeline(PCA(64), dagmar.SVC()).fit(X, y)
    assert data_of(dagmar.explore(turned, X[:9]))["image"] is None


def test_file_is_the_page(digits, tmp_path):
    """The page is written to the path, as UTF-8."""
    clf, X, y = digits
    made = dagmar.explore(clf, X, y, tmp_path / "page.html", title="Größe")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == made.html
    assert "<title>Größe</title>" in made.html


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"max_rows": 0}, "'max_rows' parameter of explore"),
        ({"max_rows": 2.5}, "'max_rows' parameter of explore"),
        ({"random_state": -1}, "'random_state' parameter of explore"),
        ({"image": (7, 8)}, "rows have 64 features"),
        ({"image": "automatic"}, "'auto', None or"),
    ],
    ids=str,
)
def test_wrong_options_are_named(options, why, digits):
    """An option that is not allowed raises an error that names it, and nothing is written."""
    clf, X, y = digits
    with pytest.raises(dagmar.InvalidParameterError, match=why):
        dagmar.explore(clf, X, y, **options)


def test_no_rows_are_refused(digits):
    """As predict does."""
    clf, X, _ = digits
    with pytest.raises(ValueError, match="0 sample"):
        dagmar.explore(clf, X[:0])


def test_feature_weights(seven_blobs):
    """They are on the page, the largest first; features are shown and moved on the scale of the user."""
    X, y = seven_blobs
    weights = dagmar.tuning.FeatureWeights([1.0, 4.0, 0.0, 2.0, 3.0])
    model = make_pipeline(StandardScaler(), weights, dagmar.SVC()).fit(X, y)
    made = dagmar.explore(model, X, y)
    data = data_of(made)
    assert data["weights"]["names"] == ["x1", "x4", "x3", "x0", "x2"]
    assert data["weights"]["numbers"] == [2.0, 1.5, 1.0, 0.5, 0.0]
    assert made.what_if
    assert data["features"]["after"] is None
    assert [list(step) for step in data["steps"]] == [["subtract"], ["divide"], ["multiply"]]
    np.testing.assert_array_equal(unpacked(data["features"]["low"]), X.min(axis=0))
    assert data_of(dagmar.explore(model[-1], model[:-1].transform(X), y))["weights"] is None
