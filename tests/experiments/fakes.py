"""Measurements without a clock, for tests of `scaling`."""

from argparse import Namespace

from experiments.benchmarks import curves, scaling
from experiments.benchmarks.points import ONE_VS_ONE, ONE_VS_REST, SCIKIT_LEARN
from experiments.benchmarks.synthetic import clouds

CASE = clouds(3).describe()


def new_record(threads=2):
    """A record without points."""
    return scaling.new_record(Namespace(threads=threads))


def outcome(point, seconds):
    """What a point that took so long would tell."""
    size = point.rows or point.classes
    return {
        "status": "done",
        "case": {**CASE, "classes": point.classes or 26, "train_rows": size},
        "fit": [seconds],
        "first_predict": [seconds / 10],
        "next_predict": [seconds / 20],
        "accuracy": 90.0,
        "machines": 10,
        "support_vectors": 5,
        "before_mib": 100.0,
        "fit_grew_mib": size / 100,
        "grew_mib": size / 50,
    }


class Fake:
    """Measures without a clock: seconds grow with the square of the size, one-vs-rest takes three times as long."""

    def __init__(self):
        self.ran = []

    def __call__(self, point, limit):
        """As `points.measure`."""
        size = point.rows or point.classes
        self.ran.append((point.who, size))
        seconds = 1e-6 * size**2 * {ONE_VS_ONE: 1, ONE_VS_REST: 3, SCIKIT_LEARN: 9}[point.who]
        return outcome(point, seconds) if seconds <= limit else {"status": "over", "limit": limit}


def run_all(record, limit):
    """Run all series up to the limit."""
    fake = Fake()
    for series in curves.all_series():
        asked = scaling.asked_of(series, threads=2, cache_mb=200, up_to=None)
        scaling.run_series(series, record, asked, limit, say=len, save=lambda: None, measure=fake)
