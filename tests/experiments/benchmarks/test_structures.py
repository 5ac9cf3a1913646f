"""The record of docs/structures.md, and the page that is made of it."""

import json
from argparse import Namespace

import numpy as np
import pytest
from helpers import blobs

import dagmar
from experiments.benchmarks import structures
from experiments.benchmarks.cases import Case
from experiments.benchmarks.command import RESULTS
from experiments.benchmarks.structures_document import document
from experiments.records import read_json


class Quiet:
    """A screen that shows nothing."""

    def headline(self, line):
        """Nothing."""

    def say(self, line):
        """Nothing."""

    def fail(self, line):
        """Nothing."""


def small_case(name="letter"):
    """Three overlapping classes."""
    X, y = blobs(len(name), 3, 60, 3, spread=3.0)
    return Case(name, "a seed", X[:120], y[:120], X[120:], y[120:], gamma=0.3, C=10.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A record and a page of small sets."""
    path = tmp_path_factory.mktemp("bench")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(structures, "load_case", small_case)
        patch.setattr(structures, "LETTER_CUT", 130)
        options = Namespace(threads=1, repeats=2, out=path, docs=path, document=False)
        assert structures.run(options, Quiet()) == 0
    return path


def test_winners_are_those_of_the_pairs():
    """The share of samples with a class that wins all its pairs, counted one by one."""
    case = small_case()
    found = structures.measure_winners(case, threads=1)
    clf = dagmar.SVC(C=case.C, gamma=case.gamma, decision_function_shape="ovo").fit(case.X_train, case.y_train)
    unanimous = 0
    for values, label in zip(clf.decision_function(case.X_test), clf.predict(case.X_test), strict=True):
        won = [i if value > 0 else j for value, (i, j) in zip(values, [(0, 1), (0, 2), (1, 2)], strict=True)]
        if max(won.count(c) for c in range(3)) == 2:
            unanimous += 1
            assert won.count(label) == 2  # so the signs are read the right way
    assert unanimous
    assert found["unanimous_percent"] == pytest.approx(100 * unanimous / len(case.y_test))
    # Without such a class DDAG and max wins may differ, with one they agree.
    assert found["ddag_differs_percent"] <= 100 - found["unanimous_percent"] + 1e-9


def test_wrong_labels_are_wrong_in_training_only():
    """About the share asked for."""
    case = small_case()
    other = structures.noisy(case, 0.3)
    assert 0.15 < np.mean(other.y_train != case.y_train) < 0.45
    np.testing.assert_array_equal(other.y_test, case.y_test)


def test_the_record_has_every_structure(folder):
    """Each with its accuracy, counts, and a time for every repeat."""
    record = read_json(folder / structures.FILE)
    assert set(record["letter"]["structures"]) == set(structures.WANTED)
    for of in record["letter"]["structures"].values():
        assert len(of["build_seconds"]) == len(of["predict_seconds"]) == 2
        assert 0 < of["machines_consulted"] <= 3
    assert record["letter"]["structures"]["ddag"]["machines_consulted"] == 2.0
    assert [of["theta"] for of in record["letter"]["thetas"]] == list(structures.THETAS)
    assert record["source"]["date"]
    assert record["soft"]["train_rows"] == 130


def test_page_says_what_the_record_says(folder):
    """Numbers of the record stand in the page, with commit, date and processor; another record gives another page."""
    record = read_json(folder / structures.FILE)
    page = (folder / "structures.md").read_text(encoding="utf-8")
    assert page == document(record)
    ddag = record["letter"]["structures"]["ddag"]
    assert f"| `ddag` | {ddag['accuracy']:.2f} | 3 | 2.0 |" in page
    assert record["source"]["date"] in page
    assert record["environment"]["cpu"] in page
    other = json.loads(json.dumps(record))
    for of in other["noise"]["rows"]:
        of["accuracy"] = 100.0 if of["share"] == 0 else 90.0 if of["k"] is None else 99.5
    assert "plain machines lose 10.00 points, and machines with k = 11 0.50" in " ".join(document(other).split())
    other["source"] |= {"commit": "0123456789abcdef", "clean": False}
    assert "commit `0123456789ab` with changes" in document(other)


def test_the_page_alone_needs_the_record(folder, tmp_path):
    """--document writes the same page again, and says if there is nothing to write about."""
    options = Namespace(out=folder, docs=tmp_path, document=True)
    assert structures.run(options, Quiet()) == 0
    assert (tmp_path / "structures.md").read_text() == (folder / "structures.md").read_text()
    assert structures.run(Namespace(out=tmp_path, docs=tmp_path, document=True), Quiet()) == 1


def test_page_in_docs_is_made_of_its_record():
    """Every word of docs/structures.md comes out again from the record: nothing in it was written by hand."""
    file = RESULTS / structures.FILE
    if not file.exists():
        pytest.skip("this copy of the sources came without the record")
    assert document(read_json(file)) == (structures.DOCS / "structures.md").read_text(encoding="utf-8")
