"""`dagmar predict`, `evaluate` and `explain` give the answers of the library."""

import numpy as np
import polars as pl
import pytest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dagmar
from dagmar.cli import reading


@pytest.fixture
def model(iris, files):
    """A model with a scaler and probabilities, in a.dagmar."""
    clf = make_pipeline(StandardScaler(), dagmar.SVC(structure="ddag", probability=True))
    clf.fit(iris[0].drop("species"), iris[0]["species"])
    dagmar.save(clf, files / "a.dagmar")
    return clf


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(reading, "ROWS_AT_ONCE", 10)


def test_predictions_are_those_of_the_library(run, files, model, iris):
    X = iris[1].drop("species")
    done = run("predict", "a.dagmar", "test.csv", "--out", "p.csv")
    assert (done.code, done.out) == (0, "")
    written = pl.read_csv(files / "p.csv")
    assert written.columns == ["prediction"]
    assert written["prediction"].to_list() == model.predict(X).tolist()
    assert run("predict", "a.dagmar", "test.csv").out == (files / "p.csv").read_text()
    assert run("predict", "a.dagmar", "test.csv", "--out", "-").out == (files / "p.csv").read_text()
    assert run("predict", "a.dagmar", "test.csv", "--json").json == {"prediction": model.predict(X).tolist()}
    counted = run("predict", "a.dagmar", "test.csv", "--out", "p.csv", "--json").json
    assert counted["rows"] == sum(line["rows"] for line in counted["counts"]) == 75


def test_probabilities_have_a_column_per_class(run, files, model, iris):
    assert run("predict", "a.dagmar", "test.csv", "--proba", "--out", "p.csv").code == 0
    written = pl.read_csv(files / "p.csv")
    assert written.columns == ["prediction", "setosa", "versicolor", "virginica"]
    expected = model.predict_proba(iris[1].drop("species"))
    np.testing.assert_array_equal(written.drop("prediction").to_numpy(), expected)
    said = run("predict", "a.dagmar", "test.csv", "--proba", "--json").json["probabilities"]
    np.testing.assert_array_equal(np.transpose(list(said.values())), expected)


def test_no_rows_give_the_names_of_the_columns(run, files, model):
    (files / "none.csv").write_text((files / "test.csv").read_text().splitlines()[0] + "\n")
    assert run("predict", "a.dagmar", "none.csv").out == "prediction\n"
    assert run("predict", "a.dagmar", "none.csv", "--proba").out == "prediction,setosa,versicolor,virginica\n"
    said = run("predict", "a.dagmar", "none.csv", "--proba", "--json").json
    assert said == {"prediction": [], "probabilities": {"setosa": [], "versicolor": [], "virginica": []}}


def test_predictions_never_replace_the_data_or_the_model(run, files, model):
    for name in ("test.csv", "a.dagmar"):
        before = (files / name).read_bytes()
        done = run("predict", "a.dagmar", "test.csv", "--out", files / name)
        assert done.code == 2
        assert "itself: name another file" in done.err
        assert (files / name).read_bytes() == before
    done = run("predict", "a.dagmar", "test.csv", "--out", "nowhere/p.csv")
    assert (done.code, done.err) == (2, "Error: nowhere/p.csv: there is no folder nowhere\n")


def test_a_target_without_any_class_of_the_model_is_noticed(run, files, model):
    done = run("evaluate", "a.dagmar", "test.csv", "--target", "petal_width", "--json")
    assert (done.code, done.json["accuracy"]) == (0, 0.0)
    assert "no label in the column 'petal_width' is a class of the model: setosa, versicolor, virginica" in done.err
    assert run("evaluate", "a.dagmar", "test.csv").err == ""


def test_class_named_prediction_does_not_hide_the_predictions(run, files, X_y):
    X, y = X_y[0]
    dagmar.save(dagmar.SVC(probability=True).fit(X, np.where(y == "setosa", "prediction", y)), files / "b.dagmar")
    done = run("predict", "b.dagmar", "test.csv", "--target", "species", "--proba")
    assert done.out.splitlines()[0] == "prediction,prediction_probability,versicolor,virginica"


def test_probabilities_need_a_model_with_them(run, files, X_y):
    dagmar.save(dagmar.SVC().fit(*X_y[0]), files / "b.dagmar")
    done = run("predict", "b.dagmar", "test.csv", "--target", "species", "--proba")
    assert done.code == 1
    assert "--probability" in done.err


def test_columns_are_taken_by_name(run, files, model, iris):
    """Columns in another order and further ones change nothing; a missing one is exit code 2."""
    frame = iris[1].drop("species").select(reversed(iris[1].columns[:-1])).with_columns(note=pl.lit("x"))
    frame.write_csv(files / "other.csv")
    expected = model.predict(iris[1].drop("species")).tolist()
    assert run("predict", "a.dagmar", "other.csv", "--json").json["prediction"] == expected
    frame.drop("petal_width").write_csv(files / "less.csv")
    done = run("predict", "a.dagmar", "less.csv", "--out", "p.csv")
    assert (done.code, (files / "p.csv").exists()) == (2, False)
    assert "no column 'petal_width'; columns are" in done.err


def test_error_in_a_later_chunk_leaves_no_file(run, files, model, iris):
    rows = (files / "test.csv").read_text().splitlines()
    rows[-1] = rows[-1].replace(rows[-1].split(",")[1], "wide")
    (files / "bad.csv").write_text("\n".join(rows))
    (files / "p.csv").write_text("old")
    done = run("predict", "a.dagmar", "bad.csv", "--out", "p.csv")
    assert done.code == 1
    assert "column 'sepal_width' has the text 'wide' in row 74" in done.err
    assert (files / "p.csv").read_text() == "old"
    assert not list(files.glob(".p.csv*"))


def test_int_labels_stay_ints(run, files, iris):
    iris[0].with_columns(species=pl.col("species").str.len_chars()).write_csv(files / "n.csv")
    assert run("train", "n.csv", "--target", "species", "--out", "n.dagmar").code == 0
    predicted = run("predict", "n.dagmar", "n.csv", "--json").json["prediction"]
    assert set(predicted) == {6, 9, 10}
    assert run("predict", "n.dagmar", "n.csv").out.split()[1:] == [str(label) for label in predicted]
    done = run("evaluate", "n.dagmar", "test.csv")
    assert done.code == 1
    assert "the labels of the model are whole numbers: 6, 9, 10" in done.err


def test_imputer_of_a_model_fills_missing_values(run, files, iris):
    clf = make_pipeline(SimpleImputer(), dagmar.SVC()).fit(iris[0].drop("species"), iris[0]["species"])
    dagmar.save(clf, files / "i.dagmar")
    (files / "gaps.csv").write_text("sepal_length,sepal_width,petal_length,petal_width\n5.1,,1.4,0.2\n")
    expected = clf.predict(pl.DataFrame([[5.1, np.nan, 1.4, 0.2]], schema=iris[0].columns[:-1], orient="row"))
    assert run("predict", "i.dagmar", "gaps.csv", "--json").json["prediction"] == expected.tolist()


def test_no_rows_give_no_predictions(run, files, model):
    (files / "none.csv").write_text("sepal_length,sepal_width,petal_length,petal_width,species\n")
    assert run("predict", "a.dagmar", "none.csv").out == "prediction\n"
    assert run("predict", "a.dagmar", "none.csv", "--json").json == {"prediction": []}
    assert run("evaluate", "a.dagmar", "none.csv").code == 1


def test_evaluation_knows_its_target(run, files, model, iris):
    done = run("evaluate", "a.dagmar", "test.csv", "--json")
    assert done.json["accuracy"] == model.score(iris[1].drop("species"), iris[1]["species"].to_numpy())
    iris[1].rename({"species": "kind"}).write_csv(files / "kind.csv")
    missing = run("evaluate", "a.dagmar", "kind.csv")
    assert (missing.code, missing.out) == (2, "")
    assert "no column 'species'; columns are sepal_length" in missing.err
    assert run("evaluate", "a.dagmar", "kind.csv", "--target", "kind", "--json").json == done.json
    text = run("evaluate", "a.dagmar", "test.csv").out
    assert f"accuracy {done.json['accuracy']:.4g} on 75 rows" in text
    assert "cost per row: 2.0 machines" in text


@pytest.mark.parametrize("row", [0, 42, 74])
def test_explanation_is_that_of_the_library(run, files, model, iris, row):
    x = model[:-1].transform(iris[1].drop("species")[[row]])
    done = run("explain", "a.dagmar", "test.csv", "--row", row)
    assert done.out.splitlines() == [
        *str(model[-1].explain(x)).splitlines(),
        f"Label in the data: {iris[1]['species'][row]}",
    ]
    said = run("explain", "a.dagmar", "test.csv", "--row", row, "--json").json
    machines, values = model[-1].decision_path(x)[0]
    assert (said["prediction"], said["label"]) == (model[-1].predict(x)[0], iris[1]["species"][row])
    assert (said["machines"], said["values"]) == (machines.tolist(), values.tolist())
    known = dagmar.explain(model, iris[1].drop("species")[[row]]).to_dict()
    assert (said["steps"], said["runner_up"]) == (known["steps"], known["runner_up"])
    assert said["steps"][0]["vectors"][0].keys() == {
        "row",
        "label",
        "coefficient",
        "kernel_value",
        "contribution",
        "share",
    }


def test_explanation_needs_no_label(run, files, model, iris):
    iris[1].drop("species").write_csv(files / "new.csv")
    assert run("explain", "a.dagmar", "new.csv", "--row", 1, "--json").json["label"] is None
    done = run("explain", "a.dagmar", "new.csv", "--row", 75)
    assert done.code == 2
    assert "it has 75 rows" in done.err
