"""GridDisplay: the scores of a search, each in its cell."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import dagmar
from dagmar.pictures import GridDisplay

CS, GAMMAS = [100, 1, 10], [0.1, 1.0]


def test_svccv_and_grid_search_show_the_same(three_blobs):
    """Values ascend, whatever the order in the search; the best cell is outlined; a pipeline's names are found."""
    X, y = three_blobs
    search = dagmar.SVCCV(Cs=CS, gammas=GAMMAS, cv=3).fit(X, y)
    theirs = GridSearchCV(SVC(), {"C": CS, "gamma": GAMMAS}, cv=3).fit(X, y)
    display = GridDisplay.from_estimator(search).plot()
    np.testing.assert_allclose(display.scores, GridDisplay.from_estimator(theirs).scores)
    assert display.Cs == [1, 10, 100]
    assert display.gammas == GAMMAS
    row, column = display.best
    assert {"C": display.Cs[row], "gamma": display.gammas[column]} == search.best_params_
    outline = display.ax_.patches[-1]
    assert (outline.get_x() + 0.48, outline.get_y() + 0.48) == pytest.approx((column, row))
    np.testing.assert_array_equal(display.ax_.images[0].get_array(), display.scores)
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == ["1", "10", "100"]
    assert len(display.ax_.texts) == 6
    piped = GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": CS, "svc__gamma": [1.0, "scale"]}, cv=3)
    named = GridDisplay.from_estimator(piped.fit(X, y))
    assert named.gammas == [1.0, "scale"]
    named.plot()


def test_cells_that_were_not_tried_are_hatched(letters):
    """An adaptive search leaves cells out: they are NaN, blank and hatched."""
    X, y = letters
    search = dagmar.SVCCV(Cs=[0.1, 1, 10, 100, 1000], gammas=[0.001, 0.01, 0.1, 1.0, 10.0], cv=2, search="adaptive")
    display = GridDisplay.from_estimator(search.fit(X, y)).plot()
    assert display.scores.shape == (5, 5)  # also a row or column of which no cell was tried
    assert display.Cs == search.Cs
    missing = np.isnan(display.scores)
    assert (~missing).sum() == len(search.cv_results_["params"]) < 25
    hatched = [patch for patch in display.ax_.patches if patch.get_hatch()]
    assert {(p.get_y() + 0.5, p.get_x() + 0.5) for p in hatched} == {tuple(cell) for cell in np.argwhere(missing)}
    assert display.ax_.images[0].get_array().count() == (~missing).sum()


def test_a_search_without_gamma_has_one_column(three_blobs):
    """A linear kernel."""
    X, y = three_blobs
    display = GridDisplay.from_estimator(dagmar.SVCCV(Cs=CS, kernel="linear", cv=2).fit(X, y)).plot()
    assert display.scores.shape == (3, 1)
    assert display.gammas == [None]
    assert display.ax_.get_xlabel() == ""


def test_several_scores_and_errors(three_blobs):
    """A metric is chosen by its name; what cannot be shown is refused."""
    X, y = three_blobs
    scored = dagmar.SVCCV(Cs=[1, 10], gammas=[1.0], cv=2, scoring=["accuracy", "f1_macro"], refit="accuracy").fit(X, y)
    assert GridDisplay.from_estimator(scored, metric="f1_macro").metric == "f1_macro"
    with pytest.raises(ValueError, match="no score 'score'; they have accuracy, f1_macro"):
        GridDisplay.from_estimator(scored)
    with pytest.raises(ValueError, match="with cv_results_ is needed; got SVC"):
        GridDisplay.from_estimator(dagmar.SVC())
    with pytest.raises(ValueError, match="no parameter C"):
        GridDisplay.from_cv_results({"params": [{"tol": 1}], "mean_test_score": [0.5]})


def test_names_of_values_do_not_touch():
    """Small gammas have short exponents, and are turned where they would touch."""
    gammas = [1e-3 * 4.0**k for k in range(-4, 4)]
    cells = [{"C": C, "gamma": gamma} for C in (1.0, 1e4) for gamma in gammas]
    display = GridDisplay.from_cv_results({"params": cells, "mean_test_score": np.linspace(0, 1, len(cells))}).plot()
    labels = display.ax_.get_xticklabels()
    assert [label.get_text() for label in labels][:3] == ["3.906e-6", "1.563e-5", "6.25e-5"]
    assert {label.get_rotation() for label in labels} == {45}
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["1", "1e4"]
    few = {"params": cells[5:8], "mean_test_score": [0, 1, 2]}
    assert {label.get_rotation() for label in GridDisplay.from_cv_results(few).plot().ax_.get_xticklabels()} == {0}


def test_failed_cells(ax):
    """If no cell has a score, none is the best."""
    display = GridDisplay.from_cv_results({"params": [{"C": 1}, {"C": 2}], "mean_test_score": [np.nan, np.nan]})
    assert display.best is None
    display.plot(ax)


def test_several_kernels_show_the_grid_of_the_best(three_blobs):
    """Cells of other kernels and scalers have gammas of their own; a search with default values is shown as well."""
    X, y = three_blobs
    search = dagmar.SVCCV([1, 10], cv=2, kernels=["rbf", "laplacian"], scaler=["standard", None]).fit(X, y)
    display = GridDisplay.from_estimator(search)
    assert display.scores.shape == (2, 5)
    assert display.gammas == sorted(search.gammas_)
    assert display.scores[display.best] == search.best_score_
    assert GridDisplay.from_estimator(dagmar.SVCCV(cv=2).fit(X, y)).scores.shape == (7, 5)
