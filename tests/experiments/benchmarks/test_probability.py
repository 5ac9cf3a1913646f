"""Probabilities that are compared."""

import numpy as np
import pytest

from experiments.benchmarks import probability
from experiments.benchmarks.synthetic import clouds


def test_calibration_error_is_the_mean_distance():
    """Two bins: one is right as often as it says, the other half as often."""
    confidence = np.array([0.75] * 4 + [1.0] * 4)
    right = np.array([True, True, True, False, True, True, False, False])
    assert probability.calibration_error(confidence, right) == pytest.approx(0.25)


def test_everyone_is_measured_and_shown():
    """Every classifier gives sensible probabilities on easy data, and stands in the table with its numbers."""
    case = clouds(3)
    found = probability.measure(case, 1, lambda line: None)
    assert list(found["results"]) == list(probability.classifiers({}))
    for result in found["results"].values():
        assert 0 < result["log_loss"] < np.log(3)
        assert 0 <= result["calibration_error"] < 1
    text = probability.table("clouds", found["results"]).markdown()
    assert all(f"{result['log_loss']:.4f}" in text for result in found["results"].values())
    assert "times as fast" in probability.verdict("clouds", found["results"])
