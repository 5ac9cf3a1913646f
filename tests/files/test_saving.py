"""Models saved to files and loaded again: the same decisions, to the bit."""

import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from helpers import blobs
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer, StandardScaler
from sklearn.svm import SVC as TheirSVC

import dagmar
from dagmar import ModelFileError
from dagmar.files import container
from dagmar.structures import STRUCTURES

SAVED_MODELS = Path(__file__).parent.parent / "saved_models"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.dagmar"


def assert_same(a, b, X):
    """Two models decide the same, with the same values."""
    assert repr(a) == repr(b)
    np.testing.assert_array_equal(a.pair_decisions(X), b.pair_decisions(X))
    for method in ("predict", "decision_function"):
        x, y = getattr(a, method)(X), getattr(b, method)(X)
        assert x.dtype == y.dtype
        np.testing.assert_array_equal(x, y)
    np.testing.assert_array_equal(a.support_, b.support_)
    assert str(a.report_) == str(b.report_)
    assert str(a.explain(X[:1])) == str(b.explain(X[:1]))


KERNELS = ["linear", "poly", "rbf", "sigmoid", "laplacian", "chi2", "tanimoto"]


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_every_structure_comes_back(path, structure, mmap):
    X, y = blobs(1, 5, 30, 4, spread=2.0)
    clf = dagmar.SVC(structure=structure, C=10).fit(X, y)
    dagmar.save(clf, path)
    assert_same(dagmar.load(path, mmap=mmap), clf, X)


@given(
    kernel=st.sampled_from(KERNELS),
    structure=st.sampled_from(sorted(STRUCTURES)),
    labels=st.sampled_from([["x", "y", "zz", "ü"], [3, -1, 2**40, 0], [5.0, -1.0, 2.0, 2.0**60], [True, False]]),
    sparse=st.booleans(),
    single=st.booleans(),
    weighted=st.booleans(),
    seed=st.integers(0, 99),
)
def test_models_of_every_kind_come_back(tmp_path_factory, kernel, structure, labels, sparse, single, weighted, seed):
    path = tmp_path_factory.mktemp("models") / "a.dagmar"
    X, y = blobs(seed, len(labels), 12, 3, spread=2.0)
    X = np.abs(X) if kernel in ("chi2", "tanimoto") else X
    X = sp.csr_matrix(np.where(np.abs(X) > 1, X, 0.0)) if sparse else X.astype(np.float32 if seed % 2 else np.float64)
    y = np.array(labels)[y]
    weights = {labels[0]: 2.0} if weighted else None
    clf = dagmar.SVC(
        kernel=kernel,
        structure=structure,
        class_weight=weights,
        precision="single" if single else "double",
        max_iter=500,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # steps are limited, to be quick
        warnings.filterwarnings("ignore", "invalid value encountered in cast")  # scikit-learn's, of 2.0**60 to 32 bits
        clf.fit(X, y)
    dagmar.save(clf, path)
    assert_same(dagmar.load(path), clf, X)


def test_precomputed_kernels_and_c_and_gamma_per_pair(path):
    X, y = blobs(2, 3, 20, 4, spread=2.0)
    for clf, samples in (
        (dagmar.SVC(kernel="precomputed"), X @ X.T),
        (dagmar.SVC(C=[1.0, 2.0, np.inf], gamma=np.array([0.1, 0.2, 0.3])), X),
        (dagmar.SVC(soft_labels=3), X),
    ):
        dagmar.save(clf.fit(samples, y), path)
        assert_same(dagmar.load(path), clf, samples)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_probabilities_come_back(path, structure):
    X, y = blobs(2, 3, 20, 4, spread=2.0)
    clf = dagmar.SVC(probability=True, structure=structure).fit(X, y)
    dagmar.save(clf, path)
    back = dagmar.load(path)
    assert_same(back, clf, X)
    np.testing.assert_array_equal(back.predict_proba(X), clf.predict_proba(X))


def test_columns_of_a_data_frame_come_back(path):
    X, y = blobs(3, 3, 20, 2)
    X = pd.DataFrame(X, columns=["width", "höhe"])
    clf = dagmar.SVC().fit(X, pd.Series(y, name="species"))
    dagmar.save(clf, path)
    back = dagmar.load(path)
    assert back.feature_names_in_.tolist() == ["width", "höhe"]
    assert back.target_name_ == "species"
    np.testing.assert_array_equal(back.predict(X), clf.predict(X))
    with pytest.raises(ValueError, match="feature names"):
        back.predict(X[["höhe", "width"]])


def test_models_of_libsvm_come_back(path, tmp_path):
    """Where their vectors come from is not known, which is no damage."""
    X, y = blobs(7, 3, 20, 3)
    dagmar.to_libsvm(dagmar.SVC(structure="max_wins").fit(X, y), tmp_path / "a.model")
    clf = dagmar.from_libsvm(tmp_path / "a.model", structure="max_wins")
    dagmar.save(clf, path)
    assert_same(dagmar.load(path), clf, X)


def test_pipelines_come_back(path):
    X, y = blobs(4, 3, 20, 4)
    pipeline = make_pipeline(StandardScaler(), "passthrough", dagmar.SVC()).fit(X, y)
    dagmar.save(pipeline, path)
    back = dagmar.load(path)
    assert [name for name, _ in back.steps] == [name for name, _ in pipeline.steps]
    np.testing.assert_array_equal(back.predict(X), pipeline.predict(X))
    np.testing.assert_array_equal(back.decision_function(X), pipeline.decision_function(X))


def test_a_search_is_saved_as_its_best_estimator(path):
    X, y = blobs(5, 3, 20, 4)
    search = dagmar.SVCCV(Cs=[1, 10], gammas=[0.1, 1.0], cv=3).fit(X, y)
    dagmar.save(search, path)
    assert_same(dagmar.load(path), search.best_estimator_, X)


def test_a_search_with_a_scaler_is_saved_as_its_pipeline(path):
    """Also inside of another pipeline, whose steps come first."""
    X, y = blobs(5, 3, 20, 4)
    search = dagmar.SVCCV(Cs=[1, 10], gammas=[0.1, 1.0], cv=3, scaler=StandardScaler())
    for model in (search, make_pipeline(StandardScaler(), search)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the best cell may be on the edge
            model.fit(X, y)
        dagmar.save(model, path)
        np.testing.assert_array_equal(dagmar.load(path).predict(X), model.predict(X))


def test_converted_models_come_back(path):
    X, y = blobs(6, 3, 20, 4)
    clf = dagmar.from_sklearn(TheirSVC().fit(X, y))
    dagmar.save(clf, path)
    back = dagmar.load(path)
    assert_same(back, clf, X)
    np.testing.assert_array_equal(back.predict(X), TheirSVC().fit(X, y).predict(X))


def test_a_loaded_model_can_do_what_a_fitted_one_can(path):
    """It is fitted again, cloned, saved again to the same bytes, and its machines are combined otherwise."""
    X, y = blobs(7, 4, 20, 3)
    dagmar.save(dagmar.SVC(structure="ddag").fit(X, y), path)
    back = dagmar.load(path)
    again = path.with_name("again.dagmar")
    dagmar.save(back, again)
    assert again.read_bytes() == path.read_bytes()
    np.testing.assert_array_equal(
        back.restructure("max_wins").predict(X), clone(back).fit(X, y).restructure("max_wins").predict(X)
    )


def test_a_fresh_process_gives_the_same_bits(path):
    X, y = blobs(8, 4, 20, 3)
    clf = dagmar.SVC().fit(X, y)
    dagmar.save(clf, path)
    np.save(path.with_name("X.npy"), X)
    code = (
        "import sys, numpy as np, dagmar\n"
        "X = np.load(sys.argv[2])\n"
        "np.save(sys.argv[3], dagmar.load(sys.argv[1]).pair_decisions(X))\n"
    )
    files = [str(path), str(path.with_name("X.npy")), str(path.with_name("out.npy"))]
    subprocess.run([sys.executable, "-c", code, *files], check=True)
    np.testing.assert_array_equal(np.load(files[2]), clf.pair_decisions(X))


def kernel(a, b):
    return a @ b.T


def test_what_a_file_cannot_hold_is_named(path):
    X, y = blobs(9, 3, 10, 2)
    with pytest.raises(ModelFileError, match="function"):
        dagmar.save(dagmar.SVC(kernel=kernel).fit(X, y), path)
    with pytest.raises(ModelFileError, match="PairwiseClassifier cannot be exported"):
        dagmar.save(dagmar.PairwiseClassifier(TheirSVC()).fit(X, y), path)
    with pytest.raises(ModelFileError, match="QuantileTransformer"):
        dagmar.save(make_pipeline(QuantileTransformer(n_quantiles=5), dagmar.SVC()).fit(X, y), path)
    with pytest.raises(ValueError, match="not fitted"):
        dagmar.save(dagmar.SVC(), path)
    assert not path.exists()


def changed(path, change):
    """Change the header of a file and write it again, with all its arrays."""
    header, arrays = container.read(path)
    change(header, arrays)
    save_file(arrays, path, {"dagmar": json.dumps(header)})


@pytest.mark.parametrize(("change", "words"), [
    (lambda h, a: h.update(format=99), "format: 99 is later than"),
    (lambda h, a: h.update(format="1"), "format"),
    (lambda h, a: h.pop("model"), r"lacks \['model'\]"),
    (lambda h, a: h["parameters"].update(C=-1.0), "parameters: .*'C'"),
    (lambda h, a: h["parameters"].update(kernel="poly"), r"parameters\.kernel: must be 'rbf'"),
    (lambda h, a: h["parameters"].update(evil=1), "unknown: .'evil'"),
    (lambda h, a: h["model"]["bank"].update(coef="model.bank.bias"), r"model\.bank\.coef"),
    (lambda h, a: h["model"]["plan"].update(n_classes=10**30), r"model"),
    (lambda h, a: h["model"]["plan"].update(kind="poll"), r"model\.plan"),
    (lambda h, a: h["model"].update(structure="evil"), r"model\.structure"),
    (lambda h, a: h.update(steps=[{"name": "x", "class": "os.system"}]), r"steps\.0"),
    (lambda h, a: h.update(steps=[{"name": "model", "class": "passthrough"}]), "must differ"),
    (lambda h, a: h.update(steps=3), "steps"),
    (lambda h, a: a.pop("model.bank.coef"), r"model\.bank\.coef: its array is missing"),
    (lambda h, a: a.update({"model.bank.coef": a["model.bank.coef"][1:]}), "model"),
])  # fmt: skip
def test_damaged_files_are_refused_by_the_name_of_the_field(path, change, words):
    X, y = blobs(10, 3, 10, 2)
    dagmar.save(dagmar.SVC().fit(X, y), path)
    changed(path, change)
    with pytest.raises(ModelFileError, match=words) as raised:
        dagmar.load(path)
    assert repr(str(path)) in str(raised.value)


def test_any_centre_gives_the_same_labels(path):
    """A centre far from the samples costs digits, but the sign of no value: uncertain ones are computed again."""
    X, y = blobs(1, 4, 30, 5, spread=2.0)
    far = np.concatenate([10.0 * X, X + 30.0, X - 30.0])
    clf = dagmar.SVC(gamma=0.05, structure="adaptive_ddag", precision="single").fit(X, y)
    assert clf.bank_.precision == "single"
    for moved in (1e3, -1e5, 1e7):
        dagmar.save(clf, path)
        changed(path, lambda h, a, moved=moved: a["model.bank.centre"].__setitem__(1, moved))
        np.testing.assert_array_equal(dagmar.load(path).predict(far), clf.predict(far))


def test_deep_headers_are_refused(path):
    X, y = blobs(10, 3, 10, 2)
    dagmar.save(dagmar.SVC().fit(X, y), path)
    deep = [[]]
    for _ in range(600):
        deep = [deep]
    changed(path, lambda h, a: h["parameters"].update(class_weight=deep))
    with pytest.raises(ModelFileError, match=r"nested too deeply|class_weight"):
        dagmar.load(path)


@pytest.mark.parametrize("file", sorted(SAVED_MODELS.glob("*.dagmar")), ids=lambda p: p.stem)
def test_files_of_earlier_formats_are_read(file):
    """The file of each format gives the values that were written beside it."""
    known = load_file(file.with_suffix(".values.safetensors"))
    back = dagmar.load(file)
    X = pd.DataFrame(known["X"], columns=back.feature_names_in_)
    np.testing.assert_array_equal(back.predict(X), known["labels"])
    np.testing.assert_allclose(back.decision_function(X), known["values"], rtol=1e-12)
    np.testing.assert_allclose(back.predict_proba(X), known["probabilities"], rtol=1e-9)


def test_there_is_a_file_of_every_format():
    from dagmar.files.saving import FORMAT

    assert {f"format-{n}" for n in range(1, FORMAT + 1)} <= {p.stem for p in SAVED_MODELS.glob("*.dagmar")}


@pytest.mark.parametrize("structure", STRUCTURES)
def test_skops_needs_no_other_types_than_the_page_lists(path, structure):
    """A model dumped by skops loads with the trusted types of docs/format.md, to the same decisions."""
    skops = pytest.importorskip("skops.io", reason="skops is not installed")
    page = (Path(__file__).parents[2] / "docs" / "format.md").read_text()
    trusted = [line.strip() for line in page.splitlines() if line.startswith("    dagmar.")]
    X, y = blobs(11, 4, 10, 2)
    clf = dagmar.SVC(structure=structure, probability=True).fit(X, y)
    skops.dump(clf, path)
    assert skops.get_untrusted_types(file=path) == ["dagmar.estimators.svc.SVC"]
    assert len(trusted) == 3
    assert_same(skops.load(path, trusted=trusted), clf, X)
