"""What the tests of the command share: a way to run it in this process, and small files."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_iris

from dagmar import cli

NAMES = ["sepal_length", "sepal_width", "petal_length", "petal_width"]


@dataclass
class Done:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        """The result that was printed as JSON."""
        return json.loads(self.out)


@pytest.fixture
def run(capfd, monkeypatch, tmp_path):
    """A function that runs the command in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        capfd.readouterr()
        code = cli.main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        assert "Traceback" not in out + err
        return Done(code, out, err)

    return run


@pytest.fixture(scope="session")
def iris():
    """Iris with text labels: a frame for training and one for testing."""
    data = load_iris()
    frame = pl.DataFrame(data.data, schema=NAMES)
    frame = frame.with_columns(species=pl.Series(data.target_names[data.target]))
    return frame[::2], frame[1::2]


@pytest.fixture
def files(iris, tmp_path):
    """The folder of the test, with iris.csv and test.csv."""
    iris[0].write_csv(tmp_path / "iris.csv")
    iris[1].write_csv(tmp_path / "test.csv")
    return tmp_path


@pytest.fixture
def X_y(iris):
    """Training and test samples of iris as arrays."""
    return [(np.ascontiguousarray(f.select(NAMES).to_numpy()), f["species"].to_numpy()) for f in iris]
