"""`dagmar.explain` serves estimators, pipelines and searches."""

import numpy as np
import pandas as pd
import pytest
import sklearn.svm
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

import dagmar
from dagmar.base.fitted_steps import names_after


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


COLLECTIONS = {
    "list": lambda texts: texts[:1],
    "tuple": lambda texts: tuple(texts[:1]),
    "array": lambda texts: np.array(texts[:1]),
    "objects": lambda texts: np.array(texts[:1], dtype=object),
    "series": lambda texts: pd.Series(texts)[:1],
    "text": lambda texts: texts[0],
}
READERS = {
    "words": TfidfVectorizer(),
    "hashes": HashingVectorizer(n_features=64),
    "union": FeatureUnion([("words", TfidfVectorizer()), ("letters", CountVectorizer(analyzer="char"))]),
    "function first": make_pipeline(FunctionTransformer(list), TfidfVectorizer()),
}


# (scikit-learn 1.6 takes a pipeline of steps that learn nothing for one that was not fitted.)
@pytest.mark.filterwarnings("ignore:This Pipeline instance is not fitted yet:FutureWarning")
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("form", COLLECTIONS)
def test_texts_in_a_collection_of_one(reader, form):
    """A pipeline of texts takes one text, or any collection of one text as `predict` does; several are an error."""
    texts = ["red round apple", "yellow long banana", "red small cherry", "yellow sour lemon"] * 3
    y = ["apple", "banana", "cherry", "lemon"] * 3
    model = make_pipeline(clone(READERS[reader]), dagmar.SVC(kernel="linear")).fit(texts, y)
    assert dagmar.explain(model, COLLECTIONS[form](texts)).answer == "apple"
    machines = dagmar.PairwiseClassifier(make_pipeline(TfidfVectorizer(), LogisticRegression())).fit(texts, y)
    assert dagmar.explain(machines, COLLECTIONS[form](texts)).answer == "apple"
    with pytest.raises(ValueError, match="explain takes one sample, got 2"):
        dagmar.explain(model, texts[:2])


@pytest.mark.parametrize("form", [lambda row: row, lambda row: [row]])
def test_mappings(form):
    """A dict is a sample of a pipeline that reads dicts."""
    rows = [{"legs": 4, "tail": 1}, {"legs": 2, "tail": 0}, {"legs": 6, "tail": 0}] * 4
    model = make_pipeline(DictVectorizer(), dagmar.SVC()).fit(rows, ["cat", "man", "ant"] * 4)
    assert dagmar.explain(model, form(rows[0])).answer == "cat"


def test_rows_of_words_are_rows_of_a_table():
    """A pipeline that reads tables gets a row of texts as one sample, also if it has one column."""
    rows = [["red", "round"], ["yellow", "long"], ["red", "small"]] * 4
    y = ["apple", "banana", "cherry"] * 4
    model = make_pipeline(OneHotEncoder(), dagmar.SVC()).fit(rows, y)
    assert dagmar.explain(model, ["yellow", "long"]).answer == "banana"
    one = make_pipeline(OneHotEncoder(), dagmar.SVC()).fit([row[1:] for row in rows], y)
    assert dagmar.explain(one, ["long"]).answer == dagmar.explain(one, "long").answer == "banana"
    plain = Pipeline([("nothing", "passthrough"), ("svc", dagmar.SVC())]).fit([[0.0, 1.0], [1.0, 0.0]] * 3, [0, 1] * 3)
    assert dagmar.explain(plain, [0.0, 1.0]).answer == dagmar.explain(plain, [[0.0, 1.0]]).answer == 0


def dot(A, B):
    """A kernel of rows."""
    return np.asarray(A, dtype=float) @ np.asarray(B, dtype=float).T


def of_images(A, B):
    """A kernel of images."""
    return np.einsum("aij,bij->ab", np.asarray(A), np.asarray(B))


def of_texts(A, B):
    """A kernel of texts: the number of letters that both have."""
    return np.array([[float(len(set(a) & set(b))) for b in B] for a in A])


def of_numbers(A, B):
    """A kernel of numbers."""
    return np.exp(-(np.subtract.outer(np.asarray(A, dtype=float), np.asarray(B, dtype=float)) ** 2))


ROWS = np.random.default_rng(0).normal(size=(12, 4)) + np.repeat(np.eye(4)[:3] * 5, 4, axis=0)
TEXTS = ["aab", "abb", "ab", "ba", "cd", "ccd", "cdd", "dc", "efe", "ef", "fe", "eef"]
CALLABLES = {
    "rows": (dot, ROWS, [ROWS[0], ROWS[0].tolist(), ROWS[:1], ROWS[:1].tolist(), pd.Series(ROWS[0])]),
    "lists": (dot, ROWS.tolist(), [ROWS[0], ROWS[0].tolist(), ROWS[:1]]),
    "frame": (dot, pd.DataFrame(ROWS), [pd.DataFrame(ROWS).iloc[0], pd.DataFrame(ROWS)[:1], ROWS[0]]),
    "images": (of_images, ROWS.reshape(12, 2, 2), [ROWS[0].reshape(2, 2), ROWS[:1].reshape(1, 2, 2)]),
    "texts": (of_texts, TEXTS, ["aab", ["aab"], ("aab",)]),
    "array of texts": (of_texts, np.array(TEXTS), ["aab", ["aab"], np.array(["aab"])]),
    "series of texts": (of_texts, pd.Series(TEXTS), ["aab", ["aab"]]),
    "numbers": (of_numbers, np.repeat([0.0, 5.0, 9.0], 4), [0.0, [0.0], np.zeros(1)]),
}


@pytest.mark.parametrize("case", CALLABLES)
def test_callable_kernels_take_one_sample(case):
    """A sample is one of what the kernel was trained on, or a collection of one."""
    kernel, X, samples = CALLABLES[case]
    y = np.repeat(["one", "two", "three"], 4)
    clf = dagmar.SVC(kernel=kernel).fit(X, y)
    for x in samples:
        assert clf.explain(x).answer == dagmar.explain(clf, x).answer == clf.predict(X[:1])[0] == "one"
    with pytest.raises(ValueError, match="explain takes one sample, got 3"):
        clf.explain(X[:3])


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


def test_features_with_most_weight_are_named(iris):
    """A model with feature weights names the largest in its text, and has all of them in its data."""
    X, y = iris
    weights = dagmar.tuning.FeatureWeights([1.0, 0.0, 6.0, 5.0])
    models = (
        make_pipeline(StandardScaler(), weights, dagmar.SVC()),
        dagmar.SVCCV([1.0], [0.5], 2, scaler=make_pipeline(StandardScaler(), weights)),
    )
    for model in models:
        explanation = dagmar.explain(model.fit(X, y), X.iloc[0])
        words = "Features with most weight: petal length (cm) (2), petal width (cm) (1.67), sepal length (cm) (0.333), sepal"
        assert str(explanation).splitlines()[-1].startswith(words)
        assert "petal length (cm) (2)" in explanation._repr_html_()
        first = {"feature": "petal length (cm)", "weight": 2.0}
        assert explanation.to_dict()["feature_weights"][0] == first
        assert explanation.to_frame("weights").to_dict("records")[0] == first
    assert str(models[1].explain(X.iloc[0])) == str(dagmar.explain(models[1], X.iloc[0]))
    plain = dagmar.explain(make_pipeline(StandardScaler(), dagmar.SVC()).fit(X, y), X.iloc[0])
    assert plain.feature_weights is None
    assert plain.to_dict()["feature_weights"] is None
    assert plain.to_frame("weights").empty
