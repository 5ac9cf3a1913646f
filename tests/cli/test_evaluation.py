"""Counts of an evaluation agree with scikit-learn's."""

import json

import numpy as np
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

import dagmar
from dagmar.cli.columns import for_model
from dagmar.cli.evaluation import Evaluation, evaluate
from dagmar.cli.models import Loaded
from dagmar.cli.reading import open_data


def test_counts_are_those_of_scikit_learn(rng):
    classes = np.array(["a", "b", "c"])
    truth, predicted = rng.choice(classes, 200), rng.choice(classes, 200)
    evaluation = Evaluation(classes)
    for part in np.array_split(np.arange(200), 7):
        evaluation.add(truth[part], predicted[part])
    result = evaluation.result()
    assert result["rows"] == 200
    assert result["accuracy"] == np.mean(truth == predicted)
    assert result["confusion"] == confusion_matrix(truth, predicted).tolist()
    theirs = precision_recall_fscore_support(truth, predicted)
    ours = [[line[key] for line in result["per_class"]] for key in ("precision", "recall", "f1", "rows")]
    np.testing.assert_allclose(ours, theirs)
    json.dumps(result)


def test_unknown_labels_count_as_wrong_and_nothing_is_divided_by_zero():
    evaluation = Evaluation(np.array([1, 2]))
    evaluation.add(np.array([1, 7]), np.array([1, 1]))
    result = evaluation.result()
    assert (result["labels"], result["accuracy"]) == ([1, 2, 7], 0.5)
    assert result["confusion"] == [[1, 0, 0], [0, 0, 0], [1, 0, 0]]
    assert [line["recall"] for line in result["per_class"]] == [1.0, None, 0.0]
    assert Evaluation(np.array([1, 2])).result()["accuracy"] is None


def test_model_is_evaluated_as_by_the_library(files, X_y, iris):
    clf = dagmar.SVC(structure="ddag").fit(iris[0].drop("species"), iris[0]["species"])
    data = open_data(files / "test.csv")
    result = evaluate(Loaded(clf), data, for_model(data, Loaded(clf), needs_target=True))
    X, y = iris[1].drop("species"), X_y[1][1]
    cost = clf.decision_cost(X)
    assert result["accuracy"] == clf.score(X, y)
    assert result["confusion"] == confusion_matrix(y, clf.predict(X)).tolist()
    assert result["cost"] == {
        "machines": cost.machines.mean(),
        "kernel_evaluations": cost.kernel_evaluations.mean(),
        "support_vectors": cost.support_vectors.mean(),
        "size_in_parameters": cost.size_in_parameters,
    }
