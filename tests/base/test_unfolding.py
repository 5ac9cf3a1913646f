"""Parts of models become dicts of plain values and back; skops then asks for the public classes only."""

import copy
import json
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dagmar
from dagmar.base.unfolding import ENTRIES, TYPE, fold, unfold
from dagmar.structures import STRUCTURES

SVC = "dagmar.estimators.svc.SVC"


def linear(A, B):
    """A callable kernel."""
    return A @ B.T


MODELS = {
    **{name: (lambda name=name: dagmar.SVC(structure=name), [SVC]) for name in STRUCTURES},
    "object": (lambda: dagmar.SVC(structure=dagmar.DDAG()), ["dagmar.structures.ddag.DDAG", SVC]),
    "probability": (lambda: dagmar.SVC(probability=True), [SVC]),
    "pipeline": (lambda: make_pipeline(StandardScaler(), dagmar.SVC()), [SVC]),
    "search": (lambda: dagmar.SVCCV([0.01, 1], [0.1], 2), [SVC, "dagmar.tuning.svccv.SVCCV"]),
    "pairs": (
        lambda: dagmar.PairwiseClassifier(LogisticRegression(), structure="ddag"),
        ["dagmar.estimators.pairwise.PairwiseClassifier"],
    ),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
def test_skops_asks_for_public_classes_only(three_blobs, name, form):
    """A loaded model answers and shows itself as before."""
    io = pytest.importorskip("skops.io")
    make, types = MODELS[name]
    if name == "pipeline" and form is sp.csr_matrix:
        pytest.skip("StandardScaler does not centre sparse matrices")
    X, y = form(three_blobs[0]), np.array(["ant", "bee", "cat"])[three_blobs[1]]
    model = make().fit(X, y)
    stored = io.dumps(model)
    assert sorted(io.get_untrusted_types(data=stored)) == sorted(types)
    again = io.loads(stored, trusted=types)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert repr(again[-1].bank_ if name == "pipeline" else again.bank_) == repr(
        model[-1].bank_ if name == "pipeline" else model.bank_
    )
    if name == "probability":
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    if name == "search":
        assert repr(again.cv_results_) == repr(model.cv_results_)
        assert again.best_params_ == model.best_params_


def types_in(value):
    """The names of all types in nested dicts and lists, without arrays."""
    if type(value) in (dict, list, tuple):
        inside = value.values() if type(value) is dict else value
        return set().union(*map(types_in, inside), {type(value)})
    return {type(value)}


@pytest.mark.parametrize("structure", STRUCTURES)
def test_what_a_fit_has_found_is_plain(three_blobs, structure):
    """The state of a fitted estimator has arrays, numbers and texts, which folding makes a model again."""
    clf = dagmar.SVC(structure=structure, probability=True).fit(*three_blobs)
    state = clf.__getstate__()
    assert types_in(state) <= {dict, list, tuple, np.ndarray, int, float, bool, str, type(None)}
    model = fold(state["_model"])
    assert type(model) is type(clf._model)
    assert repr(model.structure) == repr(clf.structure_)
    assert not model.bank.coef.flags.writeable
    assert model.report.to_frame().equals(clf.report_.to_frame())
    assert model.report.choices == clf.report_.choices


def test_callable_kernels_and_structures_of_the_user(three_blobs):
    """A function and an object of the user stay what they are."""
    X, y = three_blobs

    class Own(dagmar.Structure):
        def plan(self, bank):
            return dagmar.DDAG().plan(bank)

    clf = dagmar.SVC(kernel=linear, structure=Own()).fit(X, y)
    state = clf.__getstate__()["_model"]
    assert state["learned"]["function"]["function"] is linear
    assert type(state["structure"]) is Own
    np.testing.assert_array_equal(copy.deepcopy(clf).predict(X), clf.predict(X))
    clf = dagmar.SVC(kernel=linear).fit(X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(clf)).predict(X), clf.predict(X))


def test_a_copy_holds_the_same_model(three_blobs):
    """The model never changes, so a shallow copy shares it with what it has cached."""
    clf = dagmar.SVC().fit(*three_blobs)
    assert copy.copy(clf)._model is clf._model
    assert copy.deepcopy(clf)._model is not clf._model


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csr_array])
def test_sparse_rows(form):
    """A matrix is its three arrays and its shape."""
    rows = form(np.array([[0.0, 1.0, 0.0], [2.0, 0.0, 3.0]]))
    stored = unfold(rows)
    assert set(map(type, stored.values())) == {str, list, np.ndarray}
    assert type(fold(stored)) is form
    np.testing.assert_array_equal(fold(stored).toarray(), rows.toarray())


@pytest.mark.parametrize(
    "name",
    [
        "os.system",
        "dagmar.__main__.main",
        "dagmar.estimators.svc.SVC",
        "dagmar.machines.bank.np",
        "dagmar.machines.bank.Tasks",
        "dagmar.machines.progress.Progress",
        "dagmar.base.writing.write_whole",
        "dagmar.no.Such",
        "Bank",
        "",
        7,
        [],
        None,
    ],
)
def test_other_types_are_refused(name):
    """A stored dict can name parts of models only, in the module that defines them, and makes nothing be imported."""
    with pytest.raises(ValueError, match="is not a part of a model of dagmar"):
        fold({TYPE: name, ENTRIES: {}})


def test_other_values_stay():
    """Dicts without a type, lists and arrays are returned unchanged."""
    for value in ({"a": 1}, [1], np.arange(3), None, "text", json, LogisticRegression()):
        assert unfold(value) is value
        assert fold(value) is value
