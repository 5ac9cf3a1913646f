"""Models of scikit-learn, taken over: the same machines, the same answers."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import blobs
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC, OneClassSVM

import dagmar
from dagmar.base.exceptions import InvalidParameterError, MissingDataError, MissingMachinesError
from dagmar.structures import STRUCTURES


def cauchy(a, b):
    """A kernel of the user's own, over dense or sparse samples."""
    a, b = (m.toarray() if sp.issparse(m) else np.asarray(m) for m in (a, b))
    return 1.0 / (1.0 + 0.1 * np.square(a[:, None] - b).sum(axis=2))


def digits(return_X_y):
    X, y = load_digits(return_X_y=return_X_y)
    return X[:350] / 16, y[:350]


LOADERS = {"iris": load_iris, "wine": load_wine, "digits": digits}
KERNELS = ["linear", "poly", "rbf", "sigmoid", "precomputed", cauchy]
OVER_PAIRS = [name for name in STRUCTURES if name != "one_vs_rest"]


def dense(a):
    return a.toarray() if sp.issparse(a) else a


def samples(name, n_classes, kernel, sparse):
    """A data set as a kernel takes it."""
    X, y = LOADERS[name](return_X_y=True)
    X, y = X[y < n_classes], y[y < n_classes]
    X = X / X.std()
    return (X @ X.T if kernel == "precomputed" else sp.csr_matrix(X) if sparse else X), y


def assert_same_model(ours, theirs, X):
    """Same labels, same values, same fitted attributes."""
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-9, atol=1e-9)
    for name in ("classes_", "support_", "n_support_", "intercept_", "n_iter_", "class_weight_"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)
    for name in ("dual_coef_", "support_vectors_"):
        assert sp.issparse(getattr(ours, name)) == sp.issparse(getattr(theirs, name))
        np.testing.assert_array_equal(dense(getattr(ours, name)), dense(getattr(theirs, name)), err_msg=name)
    assert (ours.fit_status_, tuple(ours.shape_fit_)) == (theirs.fit_status_, tuple(theirs.shape_fit_))
    assert getattr(ours, "n_features_in_", None) == getattr(theirs, "n_features_in_", None)
    if theirs.kernel == "linear":
        np.testing.assert_allclose(dense(ours.coef_), dense(theirs.coef_), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("n_classes", [2, 10], ids=["two", "all"])
@pytest.mark.parametrize("name", LOADERS)
def test_max_wins_is_the_original(name, n_classes, sparse, kernel):
    """Whatever the kernel and the data, max wins gives the labels and values of the original, to the last attribute."""
    if sparse and kernel == "precomputed":
        pytest.skip("scikit-learn takes no sparse kernel matrix")
    X, y = samples(name, n_classes, kernel, sparse)
    theirs = SVC(kernel=kernel, C=2.0).fit(X, y)
    assert_same_model(dagmar.from_sklearn(theirs, "max_wins", precision="double"), theirs, X)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_nu_machines_are_taken_too(n_classes, kernel):
    """A NuSVC gives its own answers, with C left at 1."""
    X, y = samples("wine", n_classes, kernel, sparse=False)
    theirs = NuSVC(kernel=kernel, nu=0.1).fit(X, y)
    ours = dagmar.from_sklearn(theirs, "max_wins")
    assert ours.C == 1.0
    assert_same_model(ours, theirs, X)


def test_the_original_is_left_alone():
    """The original is neither changed nor frozen, nor is the copy changed with it."""
    X, y = load_iris(return_X_y=True)
    theirs = SVC().fit(X, y)
    before = pickle.dumps(theirs)
    ours = dagmar.from_sklearn(theirs, "divide_and_conquer", X, y)
    expected = ours.decision_function(X)
    assert pickle.dumps(theirs) == before
    for name in ("support_vectors_", "dual_coef_", "intercept_", "support_", "classes_", "class_weight_"):
        array = getattr(theirs, name)
        assert array.flags.writeable, name
        array[...] = 0
    np.testing.assert_array_equal(ours.decision_function(X), expected)


def test_parameters_are_mirrored():
    """Every parameter that both have is the original's; what is new is as asked for."""
    X, y = load_iris(return_X_y=True)
    names = set(SVC().get_params()) - {"probability"}  # whose default is a hidden word while it is deprecated there
    theirs = SVC(
        C=3.0, kernel="poly", degree=2, gamma="auto", coef0=0.5, shrinking=False, tol=1e-4, cache_size=50,
        class_weight={0: 2.0}, max_iter=10**6, decision_function_shape="ovo", break_ties=False, random_state=3,
    ).fit(X, y)  # fmt: skip
    ours = dagmar.from_sklearn(theirs, "bracket", n_jobs=2, precision="double")
    assert {k: v for k, v in ours.get_params().items() if k in names} == {
        k: v for k, v in theirs.get_params().items() if k != "probability"
    }
    assert (ours.structure, ours.n_jobs, ours.precision, ours.soft_labels) == ("bracket", 2, "double", None)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(ours.class_weight_, [2.0, 1.0, 1.0])


@pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", [SVC, NuSVC])
def test_probabilities_are_the_originals(n_classes, kind):
    """They are scikit-learn's, up to where LIBSVM's iteration ends, for any structure; also the sigmoids, with their signs."""
    X, y = load_iris(return_X_y=True)
    X, y = X[y < n_classes], y[y < n_classes]
    theirs = kind(probability=True, random_state=0).fit(X, y)
    ours = dagmar.from_sklearn(theirs, "max_wins")
    assert_same_model(ours, theirs, X)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=0.005)
    np.testing.assert_array_equal(ours.probA_, theirs._probA)
    np.testing.assert_array_equal(ours.probB_, theirs._probB)
    np.testing.assert_array_equal(ours.restructure("ddag").predict_proba(X), ours.predict_proba(X))
    assert not hasattr(dagmar.from_sklearn(kind().fit(X, y)), "predict_proba")


def test_ties_are_broken_as_before():
    """With break_ties, max wins still gives the labels of the original."""
    X, y = blobs(seed=1, n_classes=5, per_class=20, n_features=2, spread=4.0)
    theirs = SVC(break_ties=True, gamma=0.01).fit(X, y)
    wide = 6.0 * np.random.default_rng(0).normal(size=(500, 2))
    assert_same_model(dagmar.from_sklearn(theirs, "max_wins"), theirs, wide)


def test_names_of_features_are_kept():
    """Feature names go over, and other names are refused at predict as scikit-learn does."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    ours = dagmar.from_sklearn(SVC().fit(X, y), "max_wins")
    np.testing.assert_array_equal(ours.feature_names_in_, X.columns)
    with pytest.raises(ValueError, match="feature names"):
        ours.predict(X.rename(columns={X.columns[0]: "other"}))


def test_labels_may_be_words():
    """Labels are the original's own."""
    X, y = load_iris(return_X_y=True)
    words = np.array(["setosa", "versicolor", "virginica"])[y]
    theirs = SVC().fit(X, words)
    np.testing.assert_array_equal(dagmar.from_sklearn(theirs, "max_wins").predict(X), theirs.predict(X))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("structure", OVER_PAIRS)
def test_every_method_works(structure, kernel):
    """With every structure over pairs the model is whole: paths, costs, words, pickles, clones."""
    X, y = samples("wine", 3, kernel, sparse=False)
    theirs = SVC(kernel=kernel).fit(X, y)
    ours = dagmar.from_sklearn(theirs, structure, X, y)
    labels = ours.predict(X)
    assert np.mean(labels == theirs.predict(X)) > 0.97
    assert ours.structure == structure
    np.testing.assert_array_equal(ours.classes_[ours.decision_path(X).answers], labels)
    assert ours.decision_cost(X).machines.max() <= 3
    assert str(ours.explain(X[:1])).endswith(f"Answer: {labels[0]}")
    assert ours.pair_decisions(X).shape == (len(X), ours.bank_.n_machines)
    assert ours.decision_function(X).shape == (len(X), 3)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(ours)).predict(X), labels)
    assert clone(ours).get_params() == ours.get_params()
    np.testing.assert_array_equal(clone(ours).fit(X, y).classes_, ours.classes_)


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_missing_machines_are_trained_from_the_data(sparse):
    """With X and y a C-SVC gets machines it lacks, the ones that fitting would have given it."""
    X, y = samples("wine", 3, "rbf", sparse)
    ours = dagmar.from_sklearn(SVC(C=2.0).fit(X, y), "one_vs_rest", X, y)
    fitted = dagmar.SVC(C=2.0, structure="one_vs_rest").fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), fitted.decision_function(X), rtol=1e-9, atol=1e-9)


def test_data_may_come_in_the_other_form():
    """Training data for a structure may be dense for a sparse model, and the other way round."""
    X, y = samples("wine", 3, "rbf", sparse=False)
    for fitted_on, given_ in [(X, sp.csr_matrix(X)), (sp.csr_matrix(X), X)]:
        ours = dagmar.from_sklearn(SVC().fit(fitted_on, y), "divide_and_conquer", given_, y)
        np.testing.assert_array_equal(ours.predict(fitted_on), ours.restructure("max_wins").predict(fitted_on))


def test_what_a_structure_needs_is_said():
    """Without the data, structures that look at it say so, and so do those that lack machines."""
    X, y = load_iris(return_X_y=True)
    theirs = SVC().fit(X, y)
    for structure in ("divide_and_conquer", "fisher_tree", "centered_tree", "adaptive_ddag"):
        with pytest.raises(MissingDataError, match="pass X and y"):
            dagmar.from_sklearn(theirs, structure)
    with pytest.raises(MissingMachinesError, match="Pass X and y"):
        dagmar.from_sklearn(theirs, "one_vs_rest")
    with pytest.raises(ValueError, match="give both or neither"):
        dagmar.from_sklearn(theirs, X=X)
    with pytest.raises(ValueError, match="not the data this model was trained on"):
        dagmar.from_sklearn(theirs, "adaptive_ddag", X[::-1], y[::-1])


@pytest.mark.parametrize("structure", ["one_vs_rest", dagmar.FisherTree(machines="groups")])
def test_nu_machines_are_never_mixed_with_others(structure):
    """A NuSVC cannot be given further machines, now or later, until it is fitted as an SVC."""
    X, y = load_iris(return_X_y=True)
    theirs = NuSVC(nu=0.2).fit(X, y)
    with pytest.raises(MissingMachinesError, match="nu-SVC machines"):
        dagmar.from_sklearn(theirs, structure, X, y)
    ours = dagmar.from_sklearn(theirs, "ddag")
    for model in (ours, pickle.loads(pickle.dumps(ours)), ours.restructure("bracket")):
        with pytest.raises(MissingMachinesError, match="nu-SVC machines"):
            model.restructure(structure, X, y)
    assert ours.fit(X, y).restructure(structure, X, y).score(X, y) > 0.9


def test_report_says_what_is_known():
    """Steps and convergence are the original's; the rest is marked as unknown."""
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning):
        theirs = SVC(max_iter=3).fit(X, y)
    ours = dagmar.from_sklearn(theirs)
    np.testing.assert_array_equal(ours.report_.iterations, theirs.n_iter_)
    assert ours.fit_status_ == 1
    assert not ours.report_.converged.any()
    assert ours.report_.gap is None
    assert "nan" not in f"{ours.report_}{ours.report_.totals}"


def test_single_precision_where_it_is_safe_and_pays():
    """Precision is chosen as fitting would: single for many samples, not for few, nor far from the origin; labels hold."""
    X, y = load_digits(return_X_y=True)
    X = X / 16
    cases = {"many": (X, {}), "few": (X[:150], {}), "far": (X + 30, {"kernel": "poly", "degree": 2, "gamma": 1e-3})}
    precision = {}
    for name, (train, more) in cases.items():
        theirs = SVC(**{"C": 10, "gamma": 0.05, **more}).fit(train, y[: len(train)])
        ours = dagmar.from_sklearn(theirs, "max_wins")
        precision[name] = ours.bank_.precision
        np.testing.assert_array_equal(ours.predict(train), theirs.predict(train))
        np.testing.assert_allclose(ours.decision_function(train), theirs.decision_function(train), atol=1e-4)
    assert precision == {"many": "single", "few": "double", "far": "double"}


def test_other_models_are_refused():
    """What is not a fitted SVC or NuSVC is a TypeError that says what is taken."""
    X, y = load_iris(return_X_y=True)
    others = [SVR().fit(X, y), OneClassSVM().fit(X), LinearSVC().fit(X, y), make_pipeline(SVC()).fit(X, y), "svc", SVC]
    for model in [*others, dagmar.SVC().fit(X, y)]:
        with pytest.raises(TypeError, match=r"sklearn\.svm\.SVC or sklearn\.svm\.NuSVC"):
            dagmar.from_sklearn(model)
    for model in (SVC(), NuSVC()):
        with pytest.raises(NotFittedError):
            dagmar.from_sklearn(model)


@pytest.mark.parametrize("bad", [{"structure": "dag"}, {"precision": "half"}, {"n_jobs": "two"}])
def test_bad_parameters_are_refused(bad):
    """New parameters are checked as at fit."""
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InvalidParameterError):
        dagmar.from_sklearn(SVC().fit(X, y), **bad)


@given(
    seed=st.integers(0, 10**6),
    n_classes=st.integers(2, 6),
    n_features=st.integers(1, 4),
    C=st.floats(0.01, 100),
    kernel=st.sampled_from(["linear", "rbf", "poly"]),
)
def test_any_model_goes_over(seed, n_classes, n_features, C, kernel):
    """Random models keep their values, and their lists hold no zeros, in ascending order."""
    X, y = blobs(seed, n_classes, 8, n_features, spread=2.0)
    theirs = SVC(C=C, kernel=kernel, degree=2).fit(X, y)
    ours = dagmar.from_sklearn(theirs, "max_wins")
    new = X + 0.3
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))
    scale = max(1.0, np.abs(theirs.dual_coef_).sum())
    np.testing.assert_allclose(ours.decision_function(new), theirs.decision_function(new), atol=1e-9 * scale)
    bank = ours.bank_
    assert np.all(bank.coef != 0)
    for begin, end in zip(bank.begin[:-1], bank.begin[1:], strict=True):
        assert np.all(np.diff(bank.index[begin:end]) > 0)


# ------------------------------------------------------------------- the way out


def out_of(kernel, sparse, n_classes):
    """A fitted model with probabilities, and samples for it."""
    X, y = digits(True)
    X, y, T = X[y < n_classes], y[y < n_classes], load_digits().data[350:500] / 16
    if kernel == "precomputed":
        X, T = X @ X.T, T @ X.T
    if sparse:
        X, T = sp.csr_matrix(X), sp.csr_matrix(T)
    gamma = 0.01 if kernel == "sigmoid" else "scale"
    clf = dagmar.SVC(C=10, kernel=kernel, gamma=gamma, structure="max_wins", probability=True, precision="double")
    return clf.fit(X, y), T


@pytest.mark.parametrize("n_classes", [2, 10])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_way_out_keeps_labels_values_and_probabilities(kernel, sparse, n_classes):
    """Scikit-learn predicts with it, also after pickling, and the way back leads to the same model."""
    if sparse and kernel == "precomputed":
        pytest.skip("there are no sparse precomputed kernels")
    clf, T = out_of(kernel, sparse, n_classes)
    theirs = pickle.loads(pickle.dumps(dagmar.to_sklearn(clf)))
    assert type(theirs) is SVC
    np.testing.assert_array_equal(theirs.predict(T), clf.predict(T))
    np.testing.assert_allclose(theirs.decision_function(T), clf.decision_function(T), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(theirs.predict_proba(T), clf.predict_proba(T), atol=5e-3)
    back = dagmar.from_sklearn(theirs, "max_wins", precision="double")
    np.testing.assert_allclose(back.pair_decisions(T), clf.pair_decisions(T), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(back.predict_proba(T), clf.predict_proba(T), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed"])
def test_the_way_out_has_every_attribute_of_a_fit(kernel, sparse, n_classes):
    """What a fit of scikit-learn leaves behind, private or not, is there with the same type and shape."""
    if sparse and kernel == "precomputed":
        pytest.skip("there are no sparse precomputed kernels")
    X, y = blobs(0, n_classes, 20, 3)
    X = X @ X.T if kernel == "precomputed" else sp.csr_matrix(X) if sparse else X
    fitted = SVC(kernel=kernel).fit(X, y)
    ours = vars(dagmar.to_sklearn(dagmar.SVC(kernel=kernel, structure="max_wins").fit(X, y)))
    missing = set(vars(fitted)) - set(ours)
    assert missing == set()
    for name, value in vars(fitted).items():
        if isinstance(value, np.ndarray):
            assert ours[name].dtype == value.dtype, name
            assert ours[name].ndim == value.ndim, name
        elif sp.issparse(value):
            assert sp.issparse(ours[name]), name
    np.testing.assert_allclose(ours["_gamma"], fitted._gamma)


def test_the_way_out_of_a_pipeline_and_a_search():
    """A pipeline stays one, with names of columns; a search gives its best estimator."""
    frame, y = load_iris(return_X_y=True, as_frame=True)
    pipeline = make_pipeline(StandardScaler(), dagmar.SVC(structure="max_wins")).fit(frame, y)
    theirs = dagmar.to_sklearn(pipeline)
    assert isinstance(theirs[-1], SVC)
    np.testing.assert_array_equal(theirs.predict(frame), pipeline.predict(frame))
    named = dagmar.to_sklearn(dagmar.SVC(structure="max_wins").fit(frame, y))
    assert named.feature_names_in_.tolist() == list(frame.columns)
    search = dagmar.SVCCV([1.0, 10.0], [0.1], cv=2, structure="max_wins").fit(frame, y)
    np.testing.assert_array_equal(dagmar.to_sklearn(search).predict(frame), search.predict(frame))


def test_the_way_out_keeps_ties_and_refits():
    """Ties are broken where the model breaks them; a clone can be fitted again, also if C was an array."""
    X, y = blobs(3, 6, 15, 2, spread=4.0)
    far = 10 * np.random.default_rng(0).normal(size=(400, 2))
    plain = dagmar.SVC(C=np.full(15, 10.0), gamma=0.3, structure="max_wins", precision="double").fit(X, y)
    broken = dagmar.SVC(**{**plain.get_params(), "break_ties": True}).fit(X, y)
    assert (plain.predict(far) != broken.predict(far)).any()
    for clf in (plain, broken, plain.restructure("and_gate")):
        theirs = dagmar.to_sklearn(clf)
        np.testing.assert_array_equal(theirs.predict(far), clf.predict(far))
        assert clone(theirs).fit(X, y).n_features_in_ == 2


def test_the_way_out_does_not_share_arrays():
    """Changing the arrays of the copy does not change the model."""
    X, y = blobs(0, 3, 20, 3)
    clf = dagmar.SVC(structure="max_wins").fit(X, y)
    before = clf.pair_decisions(X)
    theirs = dagmar.to_sklearn(clf)
    for value in vars(theirs).values():
        if isinstance(value, np.ndarray):
            value[...] = 0
    np.testing.assert_array_equal(clf.pair_decisions(X), before)


def test_the_way_out_is_refused_where_labels_would_differ():
    X, y = blobs(0, 4, 20, 3)
    with pytest.raises(ValueError, match=r'sklearn.svm.SVC has only .* export restructure\("max_wins"\)'):
        dagmar.to_sklearn(dagmar.SVC(structure="ddag").fit(X, y))
    with pytest.raises(TypeError, match="cannot be exported"):
        dagmar.to_sklearn(SVC().fit(X, y))


@pytest.mark.filterwarnings("ignore")  # of skl2onnx, which uses names that scikit-learn has deprecated
def test_skl2onnx_converts_the_way_out():
    """Other tools take it for a model of scikit-learn, which it is."""
    skl2onnx = pytest.importorskip("skl2onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    X, y = blobs(0, 4, 20, 3)
    clf = dagmar.SVC(structure="max_wins").fit(X, y)
    model = skl2onnx.to_onnx(dagmar.to_sklearn(clf), X[:1].astype(np.float32), options={"zipmap": False})
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    np.testing.assert_array_equal(session.run(None, {"X": X.astype(np.float32)})[0], clf.predict(X))


def test_the_scaler_of_a_search_comes_along():
    """Of a search with a scaler, scikit-learn gets a pipeline; its labels are those of the search."""
    X, y = blobs(3, 3, 20, 4, spread=2.0)
    search = dagmar.SVCCV([1.0], [0.1], cv=2, scaler=StandardScaler()).fit(X, y)
    np.testing.assert_array_equal(dagmar.to_sklearn(search).predict(X), search.predict(X))
    with pytest.raises(ValueError, match="no transformers"):
        dagmar.to_libsvm(search, "never-written.model")
