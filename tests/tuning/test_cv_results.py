"""The results of a search show themselves, and are still a dict of columns."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest

import dagmar
from dagmar.tuning import CVResults


@pytest.fixture(scope="module")
def search(three_blobs):
    return dagmar.SVCCV(Cs=[1, 10], gammas=[0.1, "scale"], cv=3).fit(*three_blobs)


def test_the_columns_are_those_of_a_dict(search):
    """It is a dict, equals one, and pandas reads it as one."""
    results = search.cv_results_
    assert isinstance(results, dict)
    assert results.to_frame().equals(pd.DataFrame(dict(results)))
    assert results.metrics == ["score"]
    assert json.dumps(list(results))
    again = pickle.loads(pickle.dumps(results))
    assert isinstance(again, CVResults)
    assert repr(again) == repr(results)


def test_the_best_cell_is_told(search):
    """The representation is one line with the best cell of the search."""
    best = ", ".join(f"{name}={value}" for name, value in search.best_params_.items())
    assert repr(search.cv_results_) == f"CVResults(4 cells, 3 folds; best score {search.best_score_:.4g} at {best})"


def test_the_best_cells_come_first(search):
    """The table in a notebook is sorted by rank; a gamma by name is text."""
    page = search.cv_results_._repr_html_()
    scores = np.sort(search.cv_results_["mean_test_score"])[::-1]
    places = [page.index(f"{score:.4g}</td>") for score in dict.fromkeys(scores)]
    assert places == sorted(places)
    assert ">scale</td>" in page
    assert len(page) < 3000


def test_several_scores(three_blobs):
    """Every metric has its best cell and its columns."""
    scoring = ["accuracy", "f1_macro"]
    results = dagmar.SVCCV(Cs=[1, 10], gammas=[0.1], cv=2, scoring=scoring, refit=False).fit(*three_blobs).cv_results_
    assert results.metrics == scoring
    assert "best accuracy" in repr(results)
    assert "best f1_macro" in repr(results)
    assert "mean_test_f1_macro" in results._repr_html_()


def test_an_empty_dict_shows_itself():
    """Without columns there is nothing to tell."""
    assert repr(CVResults()) == "CVResults(0 cells)"
    assert "CVResults(0 cells)" in CVResults()._repr_html_()
