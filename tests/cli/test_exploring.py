"""The command `explore`: the page of the API, with the model's own target."""

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from pages import data_of
from sklearn.datasets import dump_svmlight_file, load_digits

import dagmar
from dagmar.cli.errors import Misuse
from dagmar.cli.exploring import image_shape


@pytest.fixture
def model(run, files):
    """A model of iris in the folder of the test, with a scaler."""
    assert run("train", "iris.csv", "--target", "species", "--out", "iris.dagmar", "--scale", "standard").code == 0
    return files


class Written:
    """A page that the command wrote."""

    def __init__(self, path):
        self.html = path.read_text(encoding="utf-8")


def test_page_is_that_of_the_api(run, model):
    """The command writes the same page as `dagmar.explore`, with the labels of the remembered target."""
    done = run("explore", "iris.dagmar", "test.csv", "--out", "page.html", "--title", "Iris")
    assert done.code == 0
    assert done.out.startswith("page.html (")
    assert "75 rows, accuracy 0.9" in done.out
    frame = pl.read_csv(model / "test.csv")
    X, y = frame.drop("species"), frame["species"].to_numpy()
    expected = dagmar.explore(dagmar.load(model / "iris.dagmar"), X, y, title="Iris")
    assert Written(model / "page.html").html == expected.html


def test_json_and_chunks(run, model, monkeypatch):
    """JSON has the figures; data that is read in chunks gives the same page."""
    first = run("explore", "iris.dagmar", "test.csv", "--out", "page.html", "--json").json
    assert (first["out"], first["rows"], first["shown"], first["what_if"]) == ("page.html", 75, 75, True)
    assert first["bytes"] == (model / "page.html").stat().st_size
    whole = Written(model / "page.html").html
    monkeypatch.setattr("dagmar.cli.reading.ROWS_AT_ONCE", 10)
    assert run("explore", "iris.dagmar", "test.csv", "--out", "page.html", "--json").json == first
    assert Written(model / "page.html").html == whole


def test_data_without_labels(run, model):
    """A file without the target column has no accuracy."""
    pl.read_csv(model / "test.csv").drop("species").write_csv(model / "bare.csv")
    assert run("explore", "iris.dagmar", "bare.csv", "--out", "page.html", "--json").json["accuracy"] is None


def test_limit_of_rows(run, model):
    """Fewer rows than there are, and the page says so."""
    done = run("explore", "iris.dagmar", "test.csv", "--out", "page.html", "--max-rows", "20")
    assert "20 of 75 rows" in done.out
    data = data_of(Written(model / "page.html"))
    assert (data["total"], data["title"]) == (75, "iris.dagmar: test.csv")


def test_images_and_sparse_files(run, files):
    """Digits as arrays with an image size, and the same as LIBSVM's text."""
    X, y = load_digits(return_X_y=True)
    np.savez(files / "digits.npz", X=X[:300], y=y[:300])
    dump_svmlight_file(sp.csr_matrix(X[:300]), y[:300], str(files / "digits.svm"), zero_based=False)
    assert run("train", "digits.npz", "--out", "digits.dagmar").code == 0
    for name in ("digits.npz", "digits.svm"):
        done = run("explore", "digits.dagmar", name, "--out", "page.html", "--image", "8x8", "--json")
        assert done.json["rows"] == 300
        assert data_of(Written(files / "page.html"))["image"] == [8, 8]
        assert run("explore", "digits.dagmar", name, "--out", "page.html").code == 0
        assert data_of(Written(files / "page.html"))["image"] == [8, 8]
        assert run("explore", "digits.dagmar", name, "--out", "page.html", "--image", "none").code == 0
        assert data_of(Written(files / "page.html"))["image"] is None


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (["--image", "8by8"], 2, "write HEIGHTxWIDTH"),
        (["--image", "8x8"], 2, "64 numbers, but rows have 4 features"),
        (["--target", "specie"], 2, "Did you mean 'species'?"),
        (["--max-rows", "0"], 2, "max-rows"),
    ],
    ids=str,
)
def test_misuse(arguments, code, why, run, model):
    """A wrong option ends with its exit code and one line, and writes nothing."""
    done = run("explore", "iris.dagmar", "test.csv", "--out", "page.html", *arguments)
    assert done.code == code
    assert why in done.err
    assert not (model / "page.html").exists()


def test_no_rows_and_no_place(run, model):
    """A file with a header only, and a folder that is not there, fail with code 1."""
    (model / "empty.csv").write_text((model / "test.csv").read_text().splitlines()[0] + "\n")
    done = run("explore", "iris.dagmar", "empty.csv", "--out", "page.html")
    assert (done.code, "empty.csv has no rows" in done.err) == (1, True)
    done = run("explore", "iris.dagmar", "test.csv", "--out", "nowhere/page.html")
    assert done.code == 1
    assert "nowhere" in done.err


def test_image_shape():
    """Height and width in any case of the letter x."""
    assert image_shape("none") is None
    assert image_shape("AUTO") == "auto"
    assert image_shape("8X16") == (8, 16)
    for wrong in ("8", "0x8", "8x8x3", "-1x4", "x"):
        with pytest.raises(Misuse, match="HEIGHTxWIDTH"):
            image_shape(wrong)
