"""The view of notebooks: scikit-learn's comes first and ours follows."""

import numpy as np
import pytest
import sklearn
from helpers import blobs
from sklearn.linear_model import LogisticRegression

import dagmar

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
    monkeypatch.setattr("dagmar.estimators.html_view.documentation_url", lambda: "https://dagmar.example/docs")
    assert "What the parameters mean" not in clf._repr_html_()
    assert 'href="https://dagmar.example/docs#dagmar.SVC' in clf._repr_html_()
