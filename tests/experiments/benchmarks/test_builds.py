"""Builds compared with each other: means by group, and a run with processes of its own."""

import sys

import pytest

from experiments.benchmarks import builds
from experiments.benchmarks.goals import LARGE, SMALL
from experiments.records import read_json


def result(rows, ratio):
    """A set of this many rows on which the second build takes `ratio` times as long."""
    case = {"train_rows": rows - 1, "test_rows": 1}
    return {"case": case, "ratios": {"old": {"fit": 1.0}, "new": {"fit": ratio}}}


def test_groups_have_a_mean_and_the_worst():
    """The first build is not listed; whole sets are a group of their own."""
    sets = {"a": result(2000, 0.5), "b": result(1000, 2.0), "c": result(100, 1.5), "letter": result(9000, 0.8)}
    found = {line["group"]: line for line in builds.summary(sets)}
    assert {line["build"] for line in found.values()} == {"new"}
    assert found[LARGE]["mean"] == pytest.approx(1.0)
    assert (found[LARGE]["worst"], found[LARGE]["worst_of"]) == (2.0, "b")
    assert (found[SMALL]["mean"], found[builds.HEADLINES]["mean"]) == pytest.approx((1.5, 0.8))


def test_a_build_is_run_with_its_own_environment(tmp_path):
    """Builds take turns in their processes; those of different instruction sets give the same labels."""
    python = f"{sys.executable},PYTHONPATH={':'.join(filter(None, sys.path))}"
    arguments = [f"one={python}", f"other={python},DAGMAR_SIMD=plain", "--sets", "breast_cancer", "--repeats", "1"]
    assert builds.BENCHMARK.main([*arguments, "--fill", "0", "--one-row", "--out", str(tmp_path)]) == 0
    sets = read_json(tmp_path / "builds.json")["sets"]
    assert list(sets) == ["breast_cancer, C 1", "breast_cancer, C 100"]
    for found in sets.values():
        assert set(found["seconds"]["other"]) == {
            "fit",
            *(f"{what} max_wins" for what in ("predict", "next", "one row")),
        }
        assert found["ratios"]["one"] == dict.fromkeys(found["seconds"]["one"], 1.0)
        assert found["labels_apart"] == {"one": 0, "other": 0}
