"""`dagmar.explain` serves estimators, pipelines and searches."""

import numpy as np
import pytest
import sklearn.svm
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import LinearSVC

import dagmar
from dagmar.estimators.explaining import names_after


@pytest.fixture(scope="module")
def iris():
    from sklearn.datasets import load_iris

    bunch = load_iris(as_frame=True)
    return bunch.data, bunch.target_names[bunch.target]


def test_an_estimator_explains_itself(iris):
    """The function gives what the method gives."""
    X, y = iris
    for clf in (dagmar.SVC(), dagmar.PairwiseClassifier(LogisticRegression(max_iter=300)), dagmar.SVCCV([1], [0.1], 2)):
        clf.fit(X, y)
        assert str(dagmar.explain(clf, X.iloc[60])) == str(clf.explain(X.iloc[60]))
    assert len(dagmar.explain(dagmar.SVC().fit(X, y), X.iloc[60], top=2).steps[0].vectors.labels) == 2


@pytest.mark.parametrize("form", [lambda X: X.iloc[60], lambda X: X.iloc[[60]], lambda X: X.to_numpy()[60]])
def test_a_pipeline_transforms_the_sample(iris, form):
    """The sample passes the steps before the last, in any form that a pipeline takes; features keep their names."""
    X, y = iris
    given = X if hasattr(form(X), "columns") or hasattr(form(X), "name") else X.to_numpy()
    model = make_pipeline(StandardScaler(), dagmar.SVC(kernel="linear")).fit(given, y)
    explanation = dagmar.explain(model, form(X))
    inside = model[-1].explain(model[:-1].transform(given[60:61]))
    assert str(explanation) == str(inside)
    assert explanation.answer == model.predict(given[60:61])[0]
    expected = X.columns.tolist() if given is X else ["x0", "x1", "x2", "x3"]
    assert explanation.steps[0].features.names == expected


def test_names_follow_the_steps(iris):
    """New features have the names that the steps give them; steps without names leave numbers."""
    X, y = iris
    model = make_pipeline(StandardScaler(), PCA(2), dagmar.SVC(kernel="linear")).fit(X, y)
    assert dagmar.explain(model, X.iloc[0]).steps[0].features.names == ["pca0", "pca1"]
    nameless = make_pipeline(FunctionTransformer(np.asarray), dagmar.SVC(kernel="linear")).fit(X, y)
    assert dagmar.explain(nameless, X.iloc[0]).steps[0].features.names == [0, 1, 2, 3]
    assert names_after(nameless[:-1], None) is None


def test_texts(iris):
    """A text is a sample of a pipeline that reads texts; its words are the features."""
    texts = ["red round apple", "yellow long banana", "red small cherry", "yellow sour lemon"] * 3
    y = ["apple", "banana", "cherry", "lemon"] * 3
    model = make_pipeline(TfidfVectorizer(), dagmar.SVC(kernel="linear")).fit(texts, y)
    explanation = dagmar.explain(model, "a long banana")
    assert explanation.answer == "banana"
    assert sorted(explanation.steps[0].features.names) == ["banana", "long"]


def test_searches(iris):
    """SVCCV with a scaler, alone and in a pipeline, and scikit-learn's searches are served."""
    X, y = iris
    search = dagmar.SVCCV([1, 10], [0.1], 2, kernel="linear", scaler=StandardScaler()).fit(X, y)
    assert dagmar.explain(search, X.iloc[0]).steps[0].features.names == X.columns.tolist()
    inside = make_pipeline(PCA(3), search).fit(X, y)
    assert dagmar.explain(inside, X.iloc[0]).steps[0].features.names == ["pca0", "pca1", "pca2"]
    pipeline = Pipeline([("scaler", StandardScaler()), ("svc", dagmar.SVC())])
    grid = GridSearchCV(pipeline, {"svc__C": [1, 10]}, cv=2).fit(X, y)
    assert dagmar.explain(grid, X.iloc[0]).answer == grid.predict(X.iloc[[0]])[0]


def test_a_pipeline_of_one_step(iris):
    """Nothing before the classifier is nothing to do."""
    X, y = iris
    assert dagmar.explain(make_pipeline(dagmar.SVC()).fit(X, y), X.iloc[0]).answer == "setosa"


@pytest.mark.parametrize("model", [LinearSVC(), make_pipeline(StandardScaler(), sklearn.svm.SVC()), "ddag"])
def test_other_models_are_refused(iris, model):
    """What is not ours is an error that says what is taken."""
    X, y = iris
    model = model if isinstance(model, str) else model.fit(X, y)
    with pytest.raises(TypeError, match="explain takes a fitted classifier of dagmar, a Pipeline that ends with one"):
        dagmar.explain(model, X.iloc[0])


def test_unfitted_models_are_refused(iris):
    """An estimator that is not fitted gives scikit-learn's error."""
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        dagmar.explain(dagmar.SVC(), [0.0, 1.0])
