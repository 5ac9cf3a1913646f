"""The clock."""

import numpy as np
import pytest

from experiments.benchmarks import race as module
from experiments.benchmarks.competitors import Competitor
from experiments.benchmarks.race import Pace, race
from experiments.benchmarks.synthetic import clouds


class Fake(Competitor):
    """Takes the given seconds by a clock of its own."""

    def __init__(self, name, fit, predict, clock):
        super().__init__(clouds(3), threads=1)
        self.name, self.seconds, self.clock, self.fits = name, (fit, predict), clock, 0

    def fit(self):
        """Let time pass."""
        self.fits += 1
        self.clock.now += self.seconds[0]
        return self

    def predictors(self, model):
        """Let time pass."""

        def predict():
            self.clock.now += self.seconds[1]
            return np.zeros(1)

        return {self.name: predict}

    def counts(self, model):
        """None."""
        return {}


class Clock:
    """Time that passes only on request."""

    now = 0.0

    def perf_counter(self):
        """As in `time`."""
        return self.now

    def sleep(self, seconds):
        """As in `time`."""
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


def test_short_calls_are_repeated_until_the_time_is_filled(clock):
    """Every repeat is one entry, the median of many rounds; without time to fill, a repeat is one round."""
    fake = Fake("dagmar", 0.125, 0.0625, clock)
    laps = race([fake], 2, len, Pace(fill=1.0))
    assert fake.fits == 2 * 4
    assert (laps.fit["dagmar"], laps.first["dagmar"], laps.later["dagmar"]) == ([0.125] * 2, [0.0625] * 2, [0.0625] * 2)
    fake = Fake("dagmar", 0.125, 0.0625, clock)
    assert race([fake], 2, len).first == {"dagmar": [0.0625] * 2}
    assert fake.fits == 2


def test_long_and_hopeless_runs_are_not_repeated(clock):
    """Long is long for everyone; far behind in all is a reason only for peers, and only in fit and predict alike."""
    fakes = [
        Fake("dagmar", 0.5, 8.0, clock),
        Fake("long", 9.0, 0.5, clock),
        Fake("good", 0.5, 0.5, clock),
        Fake("far", 4.0, 4.0, clock),
        Fake("good at one", 4.0, 0.5, clock),
    ]
    race(fakes, 3, len, Pace(long=8.5, far=3.0))
    assert {fake.name: fake.fits for fake in fakes} == {"dagmar": 3, "long": 1, "good": 3, "far": 1, "good at one": 3}
