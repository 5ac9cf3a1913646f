"""Models on their way out: what is found in them, and what is refused."""

import numpy as np
import pytest
from helpers import blobs
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dagmar
from dagmar.interop.outgoing import pairs_of, steps_of
from dagmar.structures import STRUCTURES

X, y = blobs(0, 4, 15, 3)


def test_the_steps_of_a_model():
    """An SVC is one step, a search has those of its best estimator, and a pipeline ends with either."""
    svc = dagmar.SVC(structure="ddag").fit(X, y)
    search = dagmar.SVCCV([1.0], [0.1], cv=2).fit(X, y)
    scaled = dagmar.SVCCV([1.0], [0.1], cv=2, scaler=StandardScaler()).fit(X, y)
    assert steps_of(svc) == [("model", svc)]
    assert steps_of(search) == [("model", search.best_estimator_)]
    assert steps_of(scaled) == scaled.best_estimator_.steps
    pipeline = make_pipeline(StandardScaler(), dagmar.SVC()).fit(X, y)
    assert steps_of(pipeline) == pipeline.steps
    nested = make_pipeline(StandardScaler(), scaled.best_estimator_)
    (first, _), (second, _), (_, last) = steps_of(nested)
    assert first != second
    assert last is scaled.best_estimator_[-1]
    for other in (
        LogisticRegression(),
        make_pipeline(StandardScaler()),
        dagmar.PairwiseClassifier(LogisticRegression()),
    ):
        with pytest.raises(TypeError, match="only SVC, SVCCV, and a Pipeline"):
            steps_of(other)
    for unfitted in (dagmar.SVC(), dagmar.SVCCV([1.0], [0.1])):
        with pytest.raises(NotFittedError):
            steps_of(unfitted)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_only_votes_over_all_pairs_can_be_said(structure):
    """Other structures are refused by name; with two classes all over pairs give the same labels."""
    svc = dagmar.SVC(structure=structure).fit(X, y)
    if structure in ("max_wins", "and_gate"):
        assert pairs_of(svc, "it").n_classes == 4
    else:
        with pytest.raises(ValueError, match=r"it has only machines for all pairs, consulted by Max Wins; .*max_wins"):
            pairs_of(svc, "it")
    two = dagmar.SVC(structure=structure).fit(X, y > 1)
    if two.bank_.all_pairs and structure != "one_vs_rest":
        assert pairs_of(two, "it").n_classes == 2


def test_a_gamma_for_each_pair_is_refused():
    svc = dagmar.SVC(gamma=np.linspace(0.1, 0.2, 6), structure="max_wins").fit(X, y)
    with pytest.raises(ValueError, match="one gamma for all pairs"):
        pairs_of(svc, "it")
