"""`dagmar train` and `dagmar tune` give the models of the library."""

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import dagmar
from dagmar.cli.models import Loaded

TRAIN = ["train", "iris.csv", "--target", "species", "--out", "a.dagmar"]
TUNE = ["tune", "iris.csv", "--target", "species", "--cs", "1,10", "--gammas", "0.1,1", "--cv", "3"]


def assert_same(model, other, X):
    """Two models have the same values, to the last bit."""
    np.testing.assert_array_equal(model.decision_function(X), other.decision_function(X))
    np.testing.assert_array_equal(model.predict(X), other.predict(X))


OPTIONS = {
    "defaults": ([], {}),
    "rbf": (["-c", "10", "-g", "0.5", "-e", "1e-4", "-m", "50"], {"C": 10, "gamma": 0.5, "tol": 1e-4}),
    "poly": (["--kernel", "poly", "-d", "2", "-r", "1", "-g", "auto"],
             {"kernel": "poly", "degree": 2, "coef0": 1, "gamma": "auto"}),
    "tanimoto": (["--kernel", "tanimoto"], {"kernel": "tanimoto"}),
    "laplacian": (["--kernel", "laplacian"], {"kernel": "laplacian"}),
    "structure": (["--structure", "bracket", "--threads", "2"], {"structure": "bracket"}),
    "weights": (["--class-weight", "setosa=2,virginica=0.5"], {"class_weight": {"setosa": 2, "virginica": 0.5}}),
    "balanced": (["--class-weight", "balanced"], {"class_weight": "balanced"}),
    "probability": (["--probability"], {"probability": True}),
}  # fmt: skip


@pytest.mark.parametrize(("options", "parameters"), OPTIONS.values(), ids=OPTIONS)
def test_train_is_fit(run, files, X_y, options, parameters):
    done = run(*TRAIN, *options, "--json")
    assert (done.code, done.json["model"], done.json["rows"]) == (0, "a.dagmar", 75)
    (X, y), (test, _) = X_y
    ours, expected = dagmar.load("a.dagmar"), dagmar.SVC(**parameters).fit(X, y)
    test = pl.DataFrame(test, schema=ours.feature_names_in_.tolist())
    np.testing.assert_array_equal(ours.predict(test), expected.predict(test.to_numpy()))
    np.testing.assert_array_equal(ours.pair_decisions(test), expected.pair_decisions(test.to_numpy()))
    assert (ours.target_name_, ours.n_jobs, ours.verbose) == ("species", None, False)
    assert done.json["support_vectors"] == len(expected.support_)
    if "probability" in parameters:
        np.testing.assert_array_equal(ours.predict_proba(test), expected.predict_proba(test.to_numpy()))


@pytest.mark.parametrize(("scale", "scaler"), [("standard", StandardScaler), ("minmax", MinMaxScaler)])
def test_scaling_is_part_of_the_model(run, files, iris, scale, scaler):
    assert run(*TRAIN, "--scale", scale).code == 0
    X, test = iris[0].drop("species"), iris[1].drop("species")
    expected = make_pipeline(scaler(), dagmar.SVC()).fit(X, iris[0]["species"])
    assert_same(dagmar.load("a.dagmar"), expected, test)


def test_weights_column_is_sample_weight(run, files, iris, rng):
    weights = rng.uniform(0, 2, 75)
    iris[0].with_columns(w=weights, id=pl.Series([f"row {k}" for k in range(75)])).write_csv(files / "w.csv")
    for scale, scaler in (("none", None), ("standard", StandardScaler())):
        done = run("train", "w.csv", "--target", "species", "--weights", "w", "--ignore", "id", "--out", "a.dagmar",
                   "--scale", scale)  # fmt: skip
        assert done.code == 0
        X = iris[0].drop("species")
        ours = Loaded(dagmar.load("a.dagmar"))
        expected = dagmar.SVC().fit(X if scaler is None else scaler.fit_transform(X), iris[0]["species"], weights)
        scaled = ours.scaled(X)
        np.testing.assert_array_equal(ours.svc.pair_decisions(scaled), expected.pair_decisions(scaled))


@pytest.mark.parametrize("suffix", ["npz", "parquet", "svm"])
def test_other_formats_train_the_same_model(run, tmp_path, X_y, iris, suffix):
    from sklearn.datasets import dump_svmlight_file

    (X, y), (test, _) = X_y
    numbered = np.unique(y, return_inverse=True)[1]
    np.savez(tmp_path / "x.npz", X=X, y=numbered)
    iris[0].with_columns(species=numbered).write_parquet(tmp_path / "x.parquet")
    dump_svmlight_file(X, numbered, str(tmp_path / "x.svm"), zero_based=False)
    target = ["--target", "species"] if suffix == "parquet" else []
    done = run("train", f"x.{suffix}", *target, "--out", "a.dagmar", "--json")
    assert (done.code, done.json["classes"]) == (0, [0, 1, 2])
    ours, expected = dagmar.load("a.dagmar"), dagmar.SVC().fit(X, numbered)
    named = pl.DataFrame(test, schema=ours.feature_names_in_.tolist()) if suffix == "parquet" else test
    np.testing.assert_array_equal(ours.decision_function(named), expected.decision_function(test))


def test_sparse_data_stays_sparse_and_is_not_scaled(run, tmp_path):
    (tmp_path / "x.svm").write_text("".join(f"{k % 3} {1 + k % 3 * 9 + k % 2}:1\n" for k in range(30)))
    assert run("train", "x.svm", "--out", "a.dagmar", "--kernel", "linear").code == 0
    done = run("evaluate", "a.dagmar", "x.svm", "--json")
    assert (done.code, done.json["accuracy"]) == (0, 1.0)
    done = run("train", "x.svm", "--out", "a.dagmar", "--scale", "standard")
    assert done.code == 2
    assert "sparse" in done.err


def test_test_data_is_evaluated_at_once(run, files):
    tested = run(*TRAIN, "--test", "test.csv", "--json").json["test"]
    assert tested == run("evaluate", "a.dagmar", "test.csv", "--json").json
    assert "accuracy" in run(*TRAIN, "--test", "test.csv").out


def test_a_column_without_a_name_is_noticed(run, files, iris):
    """As data frames write the number of the row."""
    iris[0].with_row_index("").write_csv(files / "numbered.csv")
    arguments = ["train", "numbered.csv", "--target", "species", "--out", "a.dagmar", "--json"]
    done = run(*arguments)
    assert (done.code, done.json["features"]) == (0, 5)
    assert "a column has no name" in done.err
    done = run(*arguments, "--ignore", "")
    assert (done.code, done.json["features"]) == (0, 4)
    assert "a column has no name" not in done.err


WINE = ["train", "wine.csv", "--target", "y", "--out", "a.dagmar"]


@pytest.fixture
def wine(tmp_path):
    """Wine, whose features have ranges from 0.53 to 1402, in wine.csv and wine.npz."""
    data = load_wine()
    frame = pl.DataFrame(data.data, schema=list(data.feature_names)).with_columns(y=data.target, constant=1)
    frame.write_csv(tmp_path / "wine.csv")
    np.savez(tmp_path / "wine.npz", X=data.data, y=data.target)


def test_scaling_is_suggested_once_where_ranges_differ(run, files, wine):
    """A line on standard error, not in the result; the user can say that it is not wanted."""
    hint = "dagmar: the features have ranges from 0.53 of feature 'nonflavanoid_phenols' to 1402 of feature 'proline'"
    done = run(*WINE, "--json")
    assert done.json["converged"]
    assert done.err.startswith(hint)
    assert done.err.count("--scale standard usually helps") == 1
    searched = run("tune", "wine.npz", "--cs", "1,10", "--gammas", "0.1,1")
    assert searched.err.count("0.53 of feature '7' to 1402 of feature '12': --scale standard usually helps") == 1
    for quiet in ([*WINE, "--scale", "standard"], [*WINE, "--scale", "none"], TRAIN):
        assert run(*quiet).err == ""


def test_ranges_of_one_size_and_constants_are_no_reason_to_scale(run, tmp_path):
    """The factor is 100 or more; a constant has no range."""
    for large, hinted in ((99, False), (100, True)):
        rows = [f"{a},{large * b},7,{a}" for a in (0, 1) for b in (0, 1)] * 5
        (tmp_path / "x.csv").write_text("a,b,c,y\n" + "\n".join(rows))
        assert ("--scale standard" in run("train", "x.csv", "--target", "y", "--out", "a.dagmar").err) is hinted
    np.savez(tmp_path / "same.npz", X=np.ones((4, 2)), y=[0, 1, 0, 1])
    assert run("train", "same.npz", "--out", "a.dagmar").err == ""


def test_details_of_training_are_told_on_request(run, files):
    """Without --verbose, steps and kernel rows are told nowhere."""
    for command in (TRAIN, [*TUNE, "--out", "a.dagmar"]):
        plain, details = run(*command), run(*command, "--verbose")
        assert "kernel rows" not in plain.out + plain.err
        assert plain.out.splitlines()[-4].startswith("trained    75 rows, 4 features")
        assert "largest gap" in details.out
        assert details.err == plain.err
        told = run(*command, "-v", "--json").json["report"]
        assert all(f"{name}: {words}" in details.out for name, words in told["choices"].items())
        assert f"{told['machines']} machines in {told['iterations']} steps" in details.out
        assert "report" not in run(*command, "--json").json


def test_checkpoint_is_kept_and_used(run, files):
    assert run(*TRAIN, "--checkpoint", "kept").code == 0
    assert list((files / "kept").iterdir())
    before = (files / "a.dagmar").read_bytes()
    again = run(*TRAIN, "--checkpoint", "kept")
    assert "machines are in the checkpoint" in again.err
    assert len((files / "a.dagmar").read_bytes()) == len(before)
    other = run(*TRAIN, "--checkpoint", "kept", "-c", "3")
    assert other.code == 1
    assert "kept" in other.err


def test_machines_that_do_not_converge_are_a_warning(run, files, monkeypatch):
    """A warning of the library is a line on standard error, and the model is written."""
    import warnings

    from dagmar.cli import training

    fit = training.fit

    def warned(*arguments):
        warnings.warn("not\nconverged", UserWarning, stacklevel=1)
        return fit(*arguments)

    monkeypatch.setattr(training, "fit", warned)
    done = run(*TRAIN)
    assert done.code == 0
    assert "dagmar: warning: not converged\n" in done.err


def test_tune_is_svccv(run, files, X_y):
    done = run(*TUNE, "--json", "--out", "a.dagmar")
    (X, y), (test, _) = X_y
    search = dagmar.SVCCV(Cs=[1, 10], gammas=[0.1, 1], cv=3).fit(X, y)
    assert done.code == 0
    assert done.json["best"] == search.best_params_
    assert done.json["score"] == search.best_score_
    assert [cell["score"] for cell in done.json["cells"]] == search.cv_results_["mean_test_score"].tolist()
    ours = dagmar.load("a.dagmar")
    named = pl.DataFrame(test, schema=ours.feature_names_in_.tolist())
    np.testing.assert_array_equal(ours.predict(named), search.predict(test))


def test_tune_scales_inside_the_folds(run, files, iris):
    """What is held out does not tell the scaler anything: scores are those of `GridSearchCV` over a pipeline."""
    from sklearn.model_selection import GridSearchCV

    done = run(*TUNE, "--scale", "standard", "--json", "--out", "a.dagmar")
    X, y = iris[0].drop("species"), iris[0]["species"]
    grid = {"svc__C": [1, 10], "svc__gamma": [0.1, 1]}
    theirs = GridSearchCV(make_pipeline(StandardScaler(), dagmar.SVC()), grid, cv=3).fit(X, y)
    scores = [cell["score"] for cell in done.json["cells"]]
    np.testing.assert_allclose(scores, theirs.cv_results_["mean_test_score"], rtol=1e-12)
    assert done.json["best"] == {name.removeprefix("svc__"): value for name, value in theirs.best_params_.items()}
    assert_same(dagmar.load("a.dagmar"), theirs.best_estimator_, iris[1].drop("species"))


def test_tune_prints_the_grid(run, files):
    done = run(*TUNE, "--scale", "standard")
    lines = done.out.splitlines()
    assert lines[0].split() == ["C", "\\", "gamma", "0.1", "1"]
    assert [line.split()[0] for line in lines[1:3]] == ["1", "10"]
    assert done.out.count(" *") == 1
    assert lines[4].startswith("best: C ")
    linear = run("tune", "iris.csv", "--target", "species", "--kernel", "linear", "--cs", "1,10", "--cv", "0.3")
    assert linear.out.splitlines()[0].split() == ["C", "score"]


def test_tune_takes_a_score_of_scikit_learn(run, files, X_y):
    done = run(*TUNE, "--scoring", "f1_macro", "--json")
    search = dagmar.SVCCV(Cs=[1, 10], gammas=[0.1, 1], cv=3, scoring="f1_macro").fit(*X_y[0])
    assert done.json["score"] == search.best_score_
    for wrong, words in (("beauty", "Some are accuracy"), ("f1_makro", "Did you mean 'f1_macro'?")):
        done = run(*TUNE, "--scoring", wrong)
        assert done.code == 2
        assert words in done.err


@pytest.mark.skipif("search" not in dagmar.SVCCV().get_params(), reason="SVCCV searches grids only")
def test_tune_searches_adaptively(run, files, X_y):
    done = run("tune", "iris.csv", "--target", "species", "--search", "adaptive", "--json")
    assert done.json["best"] == dagmar.SVCCV(search="adaptive").fit(*X_y[0]).best_params_


def test_tune_chooses_kernel_and_scaling(run, files, X_y):
    """Several names are separated by commas; the result is that of `SVCCV`, and the model is written."""
    given = [*TUNE, "--kernel", "linear,rbf", "--scale", "none,ranks"]
    (X, y), (test, _) = X_y
    expected = dagmar.SVCCV([1, 10], [0.1, 1], 3, kernels=("linear", "rbf"), scaler=(None, "ranks")).fit(X, y)
    done = run(*given, "--json", "--out", "a.dagmar")
    assert done.json["best"] == expected.best_params_
    assert [cell["score"] for cell in done.json["cells"]] == expected.cv_results_["mean_test_score"].tolist()
    ours = dagmar.load("a.dagmar")
    named = pl.DataFrame(test, schema=ours.feature_names_in_.tolist())
    np.testing.assert_array_equal(ours.predict(named), expected.predict(test))
    lines = run(*given).out.splitlines()
    assert lines[0].split() == ["kernel", "scaler", "cells", "best", "score"]
    assert sum(line.split()[:1] in (["linear"], ["rbf"]) for line in lines) == 4
    wrong = run(*TUNE, "--scale", "ranks,best")
    assert wrong.code == 2
    assert "'best' is not one of" in wrong.err


def test_tune_chooses_everything(run, files, X_y):
    """--search auto is that of `SVCCV`, and its model is written; kernels and scalings that are given are the only ones."""
    done = run("tune", "iris.csv", "--target", "species", "--search", "auto", "--json", "--out", "a.dagmar")
    expected = dagmar.SVCCV(search="auto").fit(*X_y[0])
    assert done.json["best"] == expected.best_params_
    test = X_y[1][0]
    ours = dagmar.load("a.dagmar")
    named = pl.DataFrame(test, schema=ours.feature_names_in_.tolist())
    np.testing.assert_array_equal(ours.predict(named), expected.predict(test))
    given = ["--kernel", "rbf", "--scale", "none", "--cs", "1,10", "--gammas", "0.1,1", "--cv", "2"]
    only = run("tune", "iris.csv", "--target", "species", "--search", "auto", *given, "--json")
    assert {(cell["kernel"], cell["scaler"]) for cell in only.json["cells"]} == {("rbf", None)}
