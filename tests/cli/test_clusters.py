"""`--scheduler` gives the answers of a run without it."""

import dask.config
import pytest
from distributed import LocalCluster

import dagmar


@pytest.fixture(scope="module")
def scheduler():
    """The address of a scheduler with two workers in this process."""
    options = {"processes": False, "protocol": "tcp", "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(n_workers=2, threads_per_worker=1, **options) as cluster:
        yield cluster.scheduler_address


def test_a_model_is_trained_on_the_cluster(run, files, scheduler):
    """The file has the bytes of a model that was trained here."""
    here = run("train", "iris.csv", "--target", "species", "--probability", "--out", "a.dagmar", "--json")
    there = run(
        *("train", "iris.csv", "--target", "species", "--probability", "--out", "b.dagmar", "--json"),
        *("--scheduler", scheduler),
    )
    assert (here.code, there.code) == (0, 0)
    one, other = (dagmar.load(files / name) for name in ("a.dagmar", "b.dagmar"))
    assert type(other) is dagmar.SVC
    for name in ("coef", "bias", "index"):
        assert getattr(one.bank_, name).tobytes() == getattr(other.bank_, name).tobytes()
    assert {**here.json, "model": "", "seconds": 0} == {**there.json, "model": "", "seconds": 0}


def test_a_search_is_spread_over_the_cluster(run, files, scheduler):
    """The table is the same."""
    given = ("tune", "iris.csv", "--target", "species", "--cs", "1,10", "--gammas", "0.1,0.5", "--cv", "3", "--json")
    here, there = run(*given), run(*given, "--scheduler", scheduler)
    assert there.code == 0
    assert here.json["cells"] == there.json["cells"]


@pytest.fixture
def model(iris, files):
    clf = dagmar.SVC(probability=True).fit(iris[0].drop("species"), iris[0]["species"])
    dagmar.save(clf, files / "a.dagmar")
    return clf


@pytest.mark.parametrize("proba", [[], ["--proba"]])
def test_predictions_are_made_on_the_cluster(run, files, model, iris, scheduler, proba):
    """Rows of CSV are sent to the workers; Parquet files and folders are read by them."""
    expected = run("predict", "a.dagmar", "test.csv", *proba).out
    assert run("predict", "a.dagmar", "test.csv", *proba, "--scheduler", scheduler).out == expected
    (files / "folder").mkdir()
    for k in range(3):
        iris[1].slice(25 * k, 25).write_parquet(files / "folder" / f"part-{k}.parquet")
    found = run("predict", "a.dagmar", "folder", *proba, "--scheduler", scheduler)
    assert (found.code, found.out) == (0, expected)
    iris[1].write_parquet(files / "one.parquet")
    assert run("predict", "a.dagmar", "one.parquet", *proba, "--scheduler", scheduler).out == expected


def test_folders_need_a_cluster(run, files, model):
    """The message names the option."""
    (files / "folder").mkdir()
    done = run("predict", "a.dagmar", "folder")
    assert done.code == 2
    assert "only predict --scheduler reads folders" in done.err


def test_a_scheduler_that_is_not_there_is_told_in_one_line(run, files, model, monkeypatch):
    """With its address."""
    monkeypatch.setattr("dagmar.dask.cluster.PATIENCE", 0.3)
    with dask.config.set({"distributed.comm.timeouts.connect": "300ms"}):
        done = run("predict", "a.dagmar", "test.csv", "--scheduler", "tcp://127.0.0.1:9")
    assert done.code == 1
    assert "tcp://127.0.0.1:9 cannot be reached" in done.err
