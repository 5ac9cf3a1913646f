"""The steps of this study."""

from __future__ import annotations

from collections.abc import Mapping

from ..report import Report
from ..study import Found, Settings, Step, Study
from . import experiments
from .samples import NAMES

# The corrected t-test hardly gains from more: with 70 % of the rows in training, its variance of the mean is the variance of a
# trial times 1/10 + 3/7, and 3/7 of that remains with any number of trials.
TRIALS = 10
QUICK_TRIALS = 2
SECONDS = {"svmguide4": 60.0, "vehicle": 30.0, "vowel": 60.0, "segment": 30.0, "sensorless2200": 60.0}


class Direct(Study):
    """Crammer & Singer's direct formulation, and structures of other binary classifiers: no paper's experiments."""

    name = "direct"
    title = "One machine for all classes, and other classifiers in the structures"
    reference = (
        "Our own questions. The machine is that of K. Crammer and Y. Singer, *On the algorithmic implementation of multiclass "
        "kernel-based vector machines*, Journal of Machine Learning Research 2 (2001), which Don & Iacob name as the "
        "alternative to binary machines."
    )

    def steps(self, settings: Settings) -> list[Step]:
        """Two for every data set."""
        trials = QUICK_TRIALS if settings.quick else TRIALS
        return [
            *(
                Step(f"direct/{data}", experiments.compare, {"data": data, "trials": trials}, SECONDS.get(data, 5.0))
                for data in NAMES
            ),
            *(Step(f"nodes/{data}", experiments.nodes, {"data": data, "trials": trials}, 5.0) for data in NAMES),
        ]

    def report(self, settings: Settings, found: Mapping[str, Found]) -> Report:
        """What was found."""
        from .report import report

        return report(self, found)
