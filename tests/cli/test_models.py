"""Models are read and written by their suffix."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dagmar
from dagmar.cli.errors import Failed, Misuse
from dagmar.cli.models import Loaded, read_model, write_model


@pytest.fixture
def ddag(X_y):
    return dagmar.SVC(structure="ddag").fit(*X_y[0])


def test_what_the_command_asks_of_a_model(iris, X_y):
    X, y = iris[0].drop("species"), iris[0]["species"]
    for model, steps in ((dagmar.SVC(), 0), (make_pipeline(StandardScaler(), dagmar.SVC()), 1)):
        loaded = Loaded(model.fit(X, y), threads=2)
        assert (loaded.names, loaded.n_features, loaded.target, len(loaded.steps)) == (X.columns, 4, "species", steps)
        assert loaded.svc.n_jobs == 2
        assert [loaded.sparse, loaded.has_probabilities, loaded.fills_missing] == [False] * 3
        np.testing.assert_array_equal(loaded.svc.predict(loaded.scaled(X)), model.predict(X))
    bare = Loaded(dagmar.SVC(probability=True).fit(*X_y[0]))
    assert (bare.names, bare.target, bare.has_probabilities) == (None, None, True)


def test_dagmar_and_libsvm_come_back(ddag, X_y, tmp_path):
    X = X_y[1][0]
    write_model(Loaded(ddag), tmp_path / "a.dagmar")
    back = read_model(tmp_path / "a.dagmar")
    np.testing.assert_array_equal(back.svc.pair_decisions(X), ddag.pair_decisions(X))
    voting = read_model(tmp_path / "a.dagmar", structure="max_wins")
    np.testing.assert_array_equal(voting.svc.predict(X), ddag.restructure("max_wins").predict(X))
    with pytest.warns(UserWarning, match="labels"):
        write_model(voting, tmp_path / "a.model")
    read = read_model(tmp_path / "a.model")
    assert read.svc.structure == "max_wins"
    np.testing.assert_array_equal(read.svc.predict(X), voting.svc.predict(X))


def test_pipeline_is_restructured_behind_its_scaler(X_y, tmp_path):
    (X, y), (test, _) = X_y
    model = make_pipeline(StandardScaler(), dagmar.SVC(structure="ddag")).fit(X, y)
    write_model(Loaded(model), tmp_path / "a.dagmar")
    loaded = read_model(tmp_path / "a.dagmar", structure="bracket")
    assert loaded.svc.structure == "bracket"
    expected = model[-1].restructure("bracket").predict(model[:-1].transform(test))
    np.testing.assert_array_equal(loaded.model.predict(test), expected)
    with pytest.raises(Failed, match="no place for StandardScaler"):
        write_model(loaded, tmp_path / "a.model")


def test_machines_that_a_structure_lacks_must_be_trained(ddag, tmp_path):
    write_model(Loaded(ddag), tmp_path / "a.dagmar")
    with pytest.raises(Failed, match=r"a\.dagmar does not have what one_vs_rest needs: train a model with --structure"):
        read_model(tmp_path / "a.dagmar", structure="one_vs_rest")


def test_what_a_format_cannot_say_is_refused(ddag, tmp_path):
    with pytest.raises(Failed, match="--structure max_wins"):
        write_model(Loaded(ddag), tmp_path / "a.model")
    with pytest.raises(Misuse, match=r"one of \.dagmar, \.onnx, \.model"):
        write_model(Loaded(ddag), tmp_path / "a.pkl")
    with pytest.raises(Misuse, match="not read"):
        read_model(tmp_path / "a.onnx")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_onnx_is_written(ddag, X_y, tmp_path, dtype):
    onnxruntime = pytest.importorskip("onnxruntime")
    write_model(Loaded(ddag), tmp_path / "a.onnx", dtype)
    session = onnxruntime.InferenceSession(str(tmp_path / "a.onnx"))
    X = X_y[1][0]
    assert session.run(["label"], {"X": X.astype(dtype)})[0].tolist() == ddag.predict(X).tolist()
