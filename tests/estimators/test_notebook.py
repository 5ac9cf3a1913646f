"""What a notebook shows of a classifier."""

import re

import numpy as np
import pytest
import sklearn
from helpers import blobs
from sklearn.linear_model import LogisticRegression

import dagmar
from dagmar.estimators.notebook import parameters_html, structure_html

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def data():
    X, y = blobs(seed=7, n_classes=4, per_class=12, n_features=3, spread=1.5)
    return X, np.array(["ant", EVIL, "cat", "dog"])[y]


CLASSIFIERS = [
    dagmar.SVC(structure="ddag"),
    dagmar.SVCCV(Cs=[1, 10], gammas=[0.1], cv=2, structure="bracket"),
    dagmar.PairwiseClassifier(LogisticRegression(), structure="one_vs_rest"),
]


@pytest.mark.parametrize("clf", CLASSIFIERS, ids=lambda clf: type(clf).__name__)
def test_scikit_learns_view_comes_first_and_ours_follows(data, clf):
    """Both forms that notebooks ask for have the parameters in words and, after a fit, the structure; labels are text."""
    clf = sklearn.clone(clf)
    before = clf._repr_html_()
    assert "<svg" not in before
    assert "What the parameters mean" in before
    fitted = clf.fit(*data)
    page = fitted._repr_html_()
    assert page.index("sk-container-id-") < page.index("<svg") < page.index("What the parameters mean")
    assert EVIL not in page
    assert "&lt;script" in page
    bundle = fitted._repr_mimebundle_()
    assert bundle["text/plain"] == repr(fitted)
    assert "<svg" in bundle["text/html"]


def test_a_search_shows_its_best_cells(data):
    """The table of cells stands between scikit-learn's view and the structure; without a refit there is no structure."""
    page = sklearn.clone(CLASSIFIERS[1]).fit(*data)._repr_html_()
    assert page.index("CVResults(2 cells, 2 folds") < page.index("<svg")
    alone = sklearn.clone(CLASSIFIERS[1]).set_params(refit=False).fit(*data)._repr_html_()
    assert "CVResults(2 cells" in alone
    assert "<svg" not in alone


def test_text_is_shown_where_scikit_learn_is_set_to_text(data):
    """With display="text" there is no HTML, as for scikit-learn's own estimators."""
    clf = dagmar.SVC().fit(*data)
    with sklearn.config_context(display="text"):
        assert not hasattr(clf, "_repr_html_")
        assert list(clf._repr_mimebundle_()) == ["text/plain"]


def test_help_is_left_to_scikit_learn_where_it_shows_it(data, monkeypatch):
    """With the address of a documentation, scikit-learn shows what parameters mean, so ours is not repeated."""
    clf = dagmar.SVC()
    monkeypatch.setattr("dagmar.estimators.classifier.documentation_url", lambda: "https://dagmar.example/docs")
    assert "What the parameters mean" not in clf._repr_html_()
    assert 'href="https://dagmar.example/docs#dagmar.SVC' in clf._repr_html_()


def test_every_parameter_is_explained():
    """The table has a line for every parameter with its value and meaning."""
    clf = dagmar.SVC(C=7.5)
    page = parameters_html(clf)
    assert page.count("<tr>") == 1 + len(clf.get_params())
    assert "<td>C</td><td>7.5</td><td>Penalty of margin errors;" in page
    assert "<td></td>" not in page


@pytest.mark.parametrize("n_classes", [26, 40])
def test_size(n_classes):
    """At 26 classes what we add is small; for more classes a line stands for the drawing."""
    X, y = blobs(seed=8, n_classes=n_classes, per_class=4, n_features=3, spread=1.0)
    for structure in ("ddag", "max_wins", "bracket", "one_vs_rest", "divide_and_conquer", "fisher_tree"):
        clf = dagmar.SVC(gamma=0.1, structure=structure).fit(X, y)
        page = structure_html(clf._model)
        assert len(page) < 30_000
        assert re.search(rf"{n_classes} classes, \d+ machines, \d+ support vectors", page)
        assert n_classes == 26 or "<svg" not in page
