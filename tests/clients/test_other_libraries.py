"""Other libraries around `SVC`: each gives what it gives around scikit-learn's own."""

import numpy as np
import pytest
import sklearn.svm
from clients.pairs import both

import dagmar


def test_imbalanced_learn(digits):
    """Samplers in its pipeline, and its ensemble of balanced bags."""
    combine = pytest.importorskip("imblearn.pipeline")
    from imblearn.ensemble import BalancedBaggingClassifier
    from imblearn.over_sampling import SVMSMOTE, RandomOverSampler

    X, X_test, y, _ = digits
    few = np.concatenate([np.flatnonzero(y > 0), np.flatnonzero(y == 0)[:15]])
    for tool in (
        lambda svc: combine.make_pipeline(RandomOverSampler(random_state=0), svc),
        lambda svc: combine.make_pipeline(SVMSMOTE(svm_estimator=svc, random_state=0), sklearn.svm.SVC(gamma=0.001)),
        lambda svc: BalancedBaggingClassifier(svc, n_estimators=3, random_state=0),
    ):
        ours, theirs = (tool(svc).fit(X[few], y[few]).predict(X_test) for svc in both())
        np.testing.assert_array_equal(ours, theirs)


def test_mapie(digits):
    """The same sets of labels from calibrated probabilities."""
    classification = pytest.importorskip("mapie.classification")
    from sklearn.calibration import CalibratedClassifierCV

    X, X_test, y, y_test = digits
    sets = []
    for svc in both():
        clf = CalibratedClassifierCV(svc, cv=3).fit(X, y)
        conformal = classification.SplitConformalClassifier(clf, confidence_level=0.9, prefit=True)
        conformal.conformalize(X_test[:200], y_test[:200])
        sets.append(conformal.predict_set(X_test[200:])[1])
    assert np.mean(sets[0] != sets[1]) < 0.001


def test_optuna(digits):
    """The same trials give the same scores."""
    optuna = pytest.importorskip("optuna")
    from sklearn.model_selection import cross_val_score

    X, _, y, _ = digits
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    scores = []
    for kind in (dagmar.SVC, sklearn.svm.SVC):

        def objective(trial, kind=kind):
            C, gamma = (trial.suggest_float(name, *span, log=True) for name, span in SPANS.items())
            return cross_val_score(kind(C=C, gamma=gamma, tol=1e-6), X, y, cv=3).mean()

        study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0))
        study.optimize(objective, n_trials=8)
        scores.append([trial.value for trial in study.trials])
    assert scores[0] == scores[1]


SPANS = {"C": (0.1, 100), "gamma": (1e-4, 1e-2)}


@pytest.mark.filterwarnings("ignore")  # of its own dependencies
def test_mlflow(digits, tmp_path):
    """A model is saved and loaded, and predicts as before."""
    mlflow = pytest.importorskip("mlflow")

    X, X_test, y, _ = digits
    answers = []
    for k, svc in enumerate(both()):
        path = str(tmp_path / str(k))
        mlflow.sklearn.save_model(svc.fit(X, y), path, serialization_format="cloudpickle")
        answers.append(mlflow.sklearn.load_model(path).predict(X_test))
    np.testing.assert_array_equal(*answers)


@pytest.mark.filterwarnings("ignore")  # of its own dependencies
def test_shap(digits):
    """The same shares of features in the values of both."""
    shap = pytest.importorskip("shap")

    X, X_test, y, _ = digits
    values = []
    for svc in both():
        explainer = shap.KernelExplainer(svc.fit(X, y).decision_function, X[:5], seed=0)
        np.random.seed(0)  # noqa: NPY002 (KernelExplainer draws from it)
        values.append(np.asarray(explainer.shap_values(X_test[:2], nsamples=200, silent=True)))
    np.testing.assert_allclose(*values, atol=1e-3)


def test_mlxtend(digits):
    """Its stacking, voting and selection of features."""
    classifier = pytest.importorskip("mlxtend.classifier")
    from mlxtend.feature_selection import SequentialFeatureSelector
    from sklearn.naive_bayes import GaussianNB

    X, X_test, y, _ = digits
    for tool in (
        lambda svc: classifier.EnsembleVoteClassifier([svc, GaussianNB()]),
        lambda svc: classifier.StackingClassifier([svc, GaussianNB()], sklearn.svm.SVC()),
    ):
        ours, theirs = (tool(svc).fit(X, y).predict(X_test) for svc in both())
        np.testing.assert_array_equal(ours, theirs)
    chosen = (SequentialFeatureSelector(svc, k_features=2, cv=2).fit(X[:, 20:32], y).k_feature_idx_ for svc in both())
    assert len(set(chosen)) == 1


def test_skops(digits, tmp_path):
    """A file whose types are trusted gives the same labels."""
    skops = pytest.importorskip("skops.io")
    X, X_test, y, _ = digits
    answers = []
    for k, svc in enumerate(both()):
        path = tmp_path / f"{k}.skops"
        skops.dump(svc.fit(X, y), path)
        answers.append(skops.load(path, trusted=skops.get_untrusted_types(file=path)).predict(X_test))
    np.testing.assert_array_equal(*answers)


@pytest.mark.filterwarnings("ignore")  # of its own dependencies
def test_cleanlab(digits):
    """The same labels are found to be wrong."""
    pytest.importorskip("cleanlab")
    from cleanlab.classification import CleanLearning
    from sklearn.calibration import CalibratedClassifierCV

    X, _, y, _ = digits
    noisy = y.copy()
    noisy[:20] = (noisy[:20] + 1) % 5
    found = []
    for svc in both():
        clean = CleanLearning(CalibratedClassifierCV(svc, cv=3), seed=0, find_label_issues_kwargs={"n_jobs": 1})
        found.append(clean.find_label_issues(X, noisy)["is_label_issue"].to_numpy())
    assert found[0][:20].mean() > 0.7
    np.testing.assert_array_equal(*found)


def test_polars_and_pyarrow(digits):
    """Frames and tables give the labels of arrays, and keep their names."""
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    X, X_test, y, _ = digits
    names = [f"pixel{k}" for k in range(64)]
    ours, theirs = both()
    expected = theirs.fit(X, y).predict(X_test)
    for make in (
        lambda rows: polars.DataFrame(rows, schema=names),
        lambda rows: pyarrow.table({name: rows[:, k] for k, name in enumerate(names)}),
    ):
        ours.fit(make(X), y)
        assert ours.feature_names_in_.tolist() == names
        np.testing.assert_array_equal(ours.predict(make(X_test)), expected)
