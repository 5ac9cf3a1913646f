"""`dagmar inspect` and `dagmar convert`."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dagmar


@pytest.fixture
def model(iris, files):
    clf = make_pipeline(StandardScaler(), dagmar.SVC(C=10, structure="ddag", class_weight={"setosa": 2.0}))
    clf.fit(iris[0].drop("species"), iris[0]["species"])
    dagmar.save(clf, files / "a.dagmar")
    return clf


def test_inspect_tells_what_is_in_the_file(run, files, model, iris):
    said = run("inspect", "a.dagmar", "--json").json
    assert (said["format"], said["dagmar"]) == (1, dagmar.__version__)
    assert (said["target"], said["feature_names"]) == ("species", iris[0].columns[:-1])
    assert (said["structure"], said["steps"], said["probabilities"]) == ("ddag", ["StandardScaler"], False)
    assert said["parameters"]["C"] == 10
    assert said["parameters"]["class_weight"] == "{'setosa': 2.0}"
    assert said["machines"] == model[-1].bank_.n_machines
    assert said["bytes"] == (files / "a.dagmar").stat().st_size
    assert said["report"]["text"] == str(model[-1].report_)
    text = run("inspect", "a.dagmar").out
    assert "classes        3: setosa, versicolor, virginica\n" in text
    assert "C=10" in text


def test_inspect_tells_feature_weights(run, files, iris):
    """By name, the largest first; a model without weights has none."""
    X, y = iris[0].drop("species"), iris[0]["species"]
    clf = make_pipeline(StandardScaler(), dagmar.tuning.FeatureWeights([1.0, 0.0, 4.0, 3.0]), dagmar.SVC()).fit(X, y)
    dagmar.save(clf, files / "w.dagmar")
    said = run("inspect", "w.dagmar", "--json").json
    assert next(iter(said["feature_weights"].items())) == (X.columns[2], 2.0)
    assert f"weights        {X.columns[2]} (2), {X.columns[3]} (1.5)" in run("inspect", "w.dagmar").out
    dagmar.save(make_pipeline(StandardScaler(), dagmar.SVC()).fit(X, y), files / "plain.dagmar")
    assert run("inspect", "plain.dagmar", "--json").json["feature_weights"] is None


def test_inspect_reads_libsvm(run, files):
    (files / "two.model").write_text(
        "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 7 3\nnr_sv 1 1\nSV\n0.5 1:1\n-0.5 1:-1\n"
    )
    said = run("inspect", "two.model", "--json").json
    assert (said["format"], said["classes"], said["kernel"]) == (None, [7, 3], "linear")
    done = run("inspect", "two.model")
    assert done.code == 0
    assert "format" not in done.out


def test_convert_by_suffix(run, files, model, X_y):
    """From dagmar to LIBSVM and back, the labels stay; what a format cannot say is an error."""
    (X, y), (test, _) = X_y
    clf = dagmar.SVC(structure="ddag").fit(X, y)
    dagmar.save(clf, files / "b.dagmar")
    refused = run("convert", "b.dagmar", "b.model")
    assert refused.code == 1
    assert "--structure max_wins" in refused.err
    done = run("convert", "b.dagmar", "b.model", "--structure", "max_wins", "--json")
    assert (done.code, done.json["out"]) == (0, "b.model")
    assert done.json["bytes"] == (files / "b.model").stat().st_size
    assert "warning" in done.err  # text labels are in a file of their own
    assert run("convert", "b.model", "back.dagmar", "--structure", "ddag").code == 0
    np.testing.assert_array_equal(dagmar.load("back.dagmar").predict(test), clf.predict(test))
    scaled = run("convert", "a.dagmar", "a.model")
    assert (scaled.code, (files / "a.model").exists()) == (1, False)
    assert "StandardScaler" in scaled.err
    assert run("convert", "b.dagmar", "nowhere/b.onnx").code == 2
    (files / "x.onnx").touch()
    assert run("convert", "x.onnx", "x.dagmar").code == 2


def test_structure_that_needs_other_machines_is_an_error(run, files, model):
    done = run("convert", "a.dagmar", "b.dagmar", "--structure", "one_vs_rest")
    assert (done.code, (files / "b.dagmar").exists()) == (1, False)
