"""Explanations: their words, their tables and their data."""

import json
import pickle
import time
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
from children import SLOWER
from helpers import blobs, letter_like

import dagmar
from dagmar.analysis.explanation import MANY, Explanation, Step
from dagmar.analysis.runner_up import RunnerUp
from dagmar.structures import STRUCTURES

EVIL = "<script>alert(1)</script>"


def made(n, poll=False):
    """An explanation of n made-up steps, with values 1/2, -1/3, 1/4, ..."""
    steps = tuple(Step(k, k - 1, ("no",), (f"yes{k}",), (-1) ** (k + 1) / (k + 1)) for k in range(1, n + 1))
    return Explanation("yes1", steps, RunnerUp(1, "no", (0,), (0.5,), 0.5), poll, True)


@pytest.fixture(scope="module")
def data():
    X, y = blobs(seed=6, n_classes=4, per_class=25, n_features=3, spread=1.5)
    return pd.DataFrame(X, columns=["wide", "long", "high"]), np.array(["ant", EVIL, "cat", "dog"])[y]


@pytest.fixture(scope="module")
def explanation(data):
    X, y = data
    return dagmar.SVC(kernel="linear", structure="ddag").fit(X, y).explain(X.iloc[17], top=3)


# --------------------------------------------------------------------- text


def test_few_steps_are_told_in_their_order():
    """One line per step, and the answer, as short as they were consulted."""
    assert str(made(2)).splitlines() == [
        "1. yes1 beats no (0.5, inside the margin)",
        "2. no beats yes2 (0.333, inside the margin)",
        "Answer: yes1",
    ]
    assert [step.number for step in made(MANY).closest_first()] == list(range(1, MANY + 1))


def test_many_steps_begin_with_the_closest_call():
    """Then the first line says so, and steps keep their numbers."""
    first, *lines, answer = made(MANY + 1).to_text().splitlines()
    assert first == f"{MANY + 1} steps, the closest calls first:"
    assert [int(line.split(".")[0]) for line in lines] == list(range(MANY + 1, 0, -1))
    assert answer == "Answer: yes1"
    first, *lines, answer = made(MANY + 1, poll=True).to_text().splitlines()
    assert first == f"{MANY + 1} steps, the largest values first:"
    assert lines[0] == "1. yes1 against the rest: 0.5"


def shown(text):
    """The numbers of the steps that a text shows."""
    return [int(line.split(".")[0]) for line in text.splitlines() if line[0].isdigit() and ". " in line]


@pytest.mark.parametrize("n", [11, 12, 66])
def test_many_steps_are_cut_to_the_ten_closest(n):
    """Printing shows ten and how many more there are; `to_text` shows all, or as many as are asked for."""
    explanation = made(n)
    lines = str(explanation).splitlines()
    assert lines[0] == f"{n} steps, the closest calls first:"
    assert shown(str(explanation)) == list(range(n, n - 10, -1))
    assert lines[-2:] == [f"... and {n - 10} more", "Answer: yes1"]
    assert len(lines) == 13
    assert shown(explanation.to_text()) == list(range(n, 0, -1))
    assert "more" not in explanation.to_text()
    assert shown(explanation.to_text(max_lines=20)) == list(range(n, max(0, n - 20), -1))
    assert (f"... and {n - 20} more" in explanation.to_text(max_lines=20)) == (n > 20)
    assert explanation.to_text(n) == explanation.to_text()


def test_few_steps_can_be_cut_as_well():
    """Then the closest are shown; ten steps are shown in their order."""
    assert shown(str(made(10))) == list(range(1, 11))
    assert shown(made(9).to_text()) == shown(made(9).to_text(max_lines=20)) == list(range(1, 10))
    assert made(3).to_text(1).splitlines() == [
        "3 steps, the closest calls first:",
        "3. yes3 beats no (0.25, inside the margin)",
        "... and 2 more",
        "Answer: yes1",
    ]
    assert made(2).to_text(0).splitlines() == ["2 steps, the closest calls first:", "... and 2 more", "Answer: yes1"]
    for wrong in (-1, 2.5, "all"):
        with pytest.raises(dagmar.InvalidParameterError, match="max_lines"):
            made(2).to_text(wrong)


def test_fifty_classes_print_a_few_lines(rng):
    """The explanation of a sample among fifty classes fits a screen."""
    X, y = rng.normal(size=(200, 3)), np.arange(200) % 50
    explanation = dagmar.SVC().fit(X, y).explain(X[0])
    assert len(explanation.steps) > 40
    assert len(str(explanation).splitlines()) == 13
    assert len(explanation.to_text().splitlines()) == len(explanation.steps) + 2


def test_sides_of_several_classes():
    """A group is named by all its classes; values of other machines are not measured in margins."""
    steps = (Step(1, 0, ("ant", "bee"), ("cat",), -0.5), Step(2, 1, ("ant",), ("bee",), 0.0))
    other = Explanation("bee", steps, None, False, False)
    assert str(other) == "1. ant or bee beats cat (0.5)\n2. bee beats ant (0)\nAnswer: bee"
    assert repr(other) == "Explanation(answer bee, no runner-up, 2 steps)"
    assert other.to_frame().winner.tolist() == ["ant or bee", "bee"]
    assert "Runner-up" not in other._repr_html_()


@pytest.mark.parametrize("structure", list(STRUCTURES))
def test_words_are_those_of_the_path(data, structure):
    """Values, sides and the answer are those of decision_path and predict; the representation is one short line."""
    X, y = data
    clf = dagmar.SVC(structure=structure).fit(X, y)
    for i in (0, 50):
        explanation, (machines, values) = clf.explain(X.iloc[i]), clf.decision_path(X.iloc[[i]])[0]
        assert [step.machine for step in explanation.steps] == machines.tolist()
        assert [step.value for step in explanation.steps] == values.tolist()
        assert explanation.answer == clf.predict(X.iloc[[i]])[0]
        assert type(explanation.answer) is str
        assert str(explanation).endswith(f"Answer: {explanation.answer}")
        assert repr(explanation).startswith(f"Explanation(answer {explanation.answer}, runner-up ")
        assert len(repr(explanation)) < 160


# ------------------------------------------------------------------- tables


def test_frame_of_steps(explanation):
    """One row per step with the user's labels."""
    frame = explanation.to_frame()
    assert frame.index.name == "step"
    assert list(frame.columns) == ["machine", "negative", "positive", "value", "winner"]
    for (number, row), step in zip(frame.iterrows(), explanation.steps, strict=True):
        assert (number, row.machine, row.value) == (step.number, step.machine, step.value)
        assert (row.negative, row.positive) == (*step.negative, *step.positive)
        assert row.winner == (row.positive if row.value >= 0 else row.negative)


def test_frame_of_vectors_and_features(explanation):
    """Longer tables of what pulled, by step; the names of the features are those of the data frame."""
    vectors, features = explanation.to_frame("vectors"), explanation.to_frame("features")
    for step in explanation.steps:
        here = vectors[vectors.step == step.number]
        assert here.row.tolist() == step.vectors.rows.tolist()
        assert here.label.tolist() == step.vectors.labels
        assert here.contribution.tolist() == step.vectors.contributions.tolist()
        here = features[features.step == step.number]
        assert here.feature.tolist() == ["wide", "long", "high"]
        assert here.share.tolist() == step.features.shares.tolist()
    with pytest.raises(
        dagmar.InvalidParameterError, match="table must be one of steps, vectors, features, weights; got 'rows'"
    ):
        explanation.to_frame("rows")


def test_frame_of_one_against_the_rest(data):
    """The negative side is the rest."""
    X, y = data
    frame = dagmar.SVC(structure="one_vs_rest").fit(X, y).explain(X.iloc[0]).to_frame()
    assert frame.negative.tolist() == ["rest"] * 4
    assert frame.positive.tolist() == sorted(set(y))


def test_html_is_small_and_escaped(explanation):
    """A label that looks like a script is shown as text."""
    page = explanation._repr_html_()
    assert EVIL not in page
    assert "&lt;script&gt;" in page
    assert "Runner-up: " in page
    assert "pulled most by" in page
    assert len(page) < 3000
    assert len(made(300)._repr_html_()) < 4000
    assert "288 more lines" in made(300)._repr_html_()


def test_dict_is_ready_for_json(explanation):
    """It survives JSON unchanged and has what the explanation has."""
    said = explanation.to_dict()
    assert json.loads(json.dumps(said, allow_nan=False)) == said
    assert said["answer"] == explanation.answer
    assert said["runner_up"]["gap"] == explanation.runner_up.gap
    for told, step in zip(said["steps"], explanation.steps, strict=True):
        assert told["winner"] == list(step.winner)
        total = sum(v["contribution"] for v in told["vectors"]) + told["other_vectors"] + told["bias"]
        assert total == pytest.approx(told["value"], rel=1e-9)
        total = sum(f["contribution"] for f in told["features"]) + told["intercept"]
        assert total == pytest.approx(told["value"], rel=1e-9)


def test_labels_that_json_does_not_have():
    """Numbers of NumPy become numbers, other objects texts."""
    odd = Explanation(np.int64(3), (Step(1, 0, ((1, 2),), (None,), 1.0),), None, False, True).to_dict()
    assert json.loads(json.dumps(odd))["answer"] == 3
    assert odd["steps"][0]["negative"] == ["(1, 2)"]
    assert odd["steps"][0]["vectors"] is odd["steps"][0]["features"] is odd["runner_up"] is None


# --------------------------------------------------------------------- data


def test_explanations_are_frozen_and_can_be_pickled(explanation):
    """A pickle has the same words and data; nothing can be changed."""
    again = pickle.loads(pickle.dumps(explanation))
    assert (str(again), again.to_dict()) == (str(explanation), explanation.to_dict())
    with pytest.raises(FrozenInstanceError):
        explanation.answer = "dog"
    with pytest.raises(ValueError, match="read-only"):
        again.steps[0].vectors.contributions[0] = 0.0


def test_rows_that_are_not_known_are_none(data, tmp_path):
    """A model of LIBSVM does not tell where its vectors come from, nor does its explanation; with X and y it does."""
    X, y = data[0].to_numpy(), np.unique(data[1], return_inverse=True)[1]
    dagmar.to_libsvm(dagmar.SVC(gamma=0.1).fit(X, y), tmp_path / "a.model")
    explanation = dagmar.from_libsvm(tmp_path / "a.model").explain(X[0])
    assert all(step.vectors.rows is None for step in explanation.steps)
    assert {v["row"] for step in explanation.to_dict()["steps"] for v in step["vectors"]} == {None}
    assert explanation.to_frame("vectors").row.isna().all()
    assert "row " not in explanation._repr_html_().split("pulled most by")[1]
    known = dagmar.from_libsvm(tmp_path / "a.model", X=X, y=y).explain(X[0])
    assert known.steps[0].vectors.labels == y[known.steps[0].vectors.rows].tolist()


@pytest.mark.parametrize("top", [-1, 2.5, "five", True])
def test_top_is_a_number(data, top):
    """A wrong number of support vectors is an error that names it."""
    X, y = data
    with pytest.raises(dagmar.InvalidParameterError, match="'top' parameter of explain must be an int"):
        dagmar.SVC().fit(X, y).explain(X.iloc[0], top=top)


@pytest.mark.parametrize("structure", ["ddag", "max_wins", "one_vs_rest"])
def test_explanations_are_quick(structure):
    """With 26 classes an explanation takes less than 10 ms of processor time."""
    X, y = letter_like(seed=1, n_classes=26, per_class=40)
    clf = dagmar.SVC(C=10, gamma=0.1, structure=structure).fit(X, y)
    clf.explain(X[0])
    taken = []
    for x in X[:10]:
        begun = time.process_time()
        clf.explain(x)
        taken.append(time.process_time() - begun)
    assert min(taken) < 0.01 * SLOWER
