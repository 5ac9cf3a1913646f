"""The protocol as a list of steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import ClassVar

from ..report import Report
from ..study import Found, Settings, Step, Study
from . import experiments
from .published import THETAS
from .sources import SOURCES, Source

SHARES = (80, 89)  # percent to train on: as the paper says, and as its own figures say
FIGURE_SETS = ("letter", "vowel", "usps", "sensorless")
CURVE = ("0", "0.01", "0.1", "0.5", "1", "1.5", "2", "2.5", "3", "4", "5")
FINE = tuple(round(0.1 * i, 1) for i in range(51))
SMALL = ("iris", "segmentation", "heart", "wine", "wine-quality", "glass", "covertype", "svmguide4", "vowel")
N_TRIALS = 10
MANY = 60
BATCH = {"letter": 5, "poker": 5}
SECONDS = {
    "letter": 9.0,
    "poker": 10.0,
    "usps": 1.2,
    "sensorless": 0.4,
    "covertype": 0.7,
    "artificial": 0.2,
}  # of a trial

# Other readings of a set: how it is called in the report, its rows, its scaling, whether classes are split by themselves.
READINGS: dict[str, dict[str, tuple[Source, str, bool]]] = {
    "segmentation": {
        "training file, classes in equal parts": (SOURCES["segmentation"], "e1071", True),
        "training file, split at random": (SOURCES["segmentation"], "e1071", False),
        "training file, each feature scaled": (SOURCES["segmentation"], "each", True),
        "both files": (Source("segment"), "e1071", True),
    },
    "glass": {
        "with the row number": (SOURCES["glass"], "e1071", True),
        "without it": (Source("glass"), "e1071", True),
    },
    "covertype": {
        "a sample of all rows": (SOURCES["covertype"], "e1071", True),
        "the same, each feature scaled": (SOURCES["covertype"], "each", True),
        "as many rows of the balanced file": (Source("covertype", "train", sample=1460, quick=600), "e1071", True),
        "a larger sample of all rows": (replace(SOURCES["covertype"], sample=2920, quick=900), "e1071", True),
    },
    "svmguide4": {
        "training file": (SOURCES["svmguide4"], "e1071", True),
        "both files": (Source("svmguide4"), "e1071", True),
    },
    "vowel": {
        "training file": (SOURCES["vowel"], "e1071", True),
        "both files": (Source("vowel"), "e1071", True),
    },
    "usps": {
        "test file": (SOURCES["usps"], "e1071", True),
        "test file, smoothed": (replace(SOURCES["usps"], smooth=0.75), "e1071", True),
        "training file": (Source("usps", "train", quick=700), "e1071", True),
    },
}


def rows_taken(name: str) -> Found:
    """The parameters that say which rows a step takes."""
    return {"name": name, "source": asdict(SOURCES[name])}


def trial_steps(name: str, share: int, quick: bool) -> Iterator[Step]:
    """The trials of a set, in lots that lose little when they are stopped."""
    n_trials = 2 if quick else N_TRIALS
    batch = BATCH.get(name, N_TRIALS)
    for first in range(1, n_trials + 1, batch):
        last = min(n_trials, first + batch - 1)
        yield Step(
            f"trials/{share}/{name}/{first}-{last}",
            experiments.trials,
            {**rows_taken(name), "share": share, "first": first, "last": last, "thetas": list(THETAS)},
            SECONDS.get(name, 0.2) * (last - first + 1),
        )


def reading_step(key: str, name: str, n_trials: int, of: tuple[Source, str, bool], share: int) -> Step:
    """A set in some reading."""
    source, scaling, by_class = of
    parameters = {"name": name, "share": share, "n_trials": n_trials, "source": asdict(source)}
    parameters |= {"scaling": scaling, "by_class": by_class, "thetas": ["0.01", "2"]}
    weight = n_trials * (3.0 if source.file == "usps" else 0.2)
    return Step(key, experiments.reading, parameters, weight)


def other_steps(name: str, quick: bool) -> Iterator[Step]:
    """Curves, times and checks of a set."""
    each = SECONDS.get(name, 0.2)
    n_trials = 1 if quick or name in BATCH else 3
    for share in SHARES:
        if name in FIGURE_SETS or share == 89:
            parameters: Found = {
                **rows_taken(name),
                "share": share,
                "n_trials": n_trials,
                "thetas": list(CURVE),
                "fine": list(FINE),
            }
            yield Step(f"curve/{share}/{name}", experiments.curve, parameters, 1.5 * each * n_trials)
    parameters = {**rows_taken(name), "share": 80, "theta": "0.01", "one_by_one": 5 if quick else 20, "counted": 500}
    yield Step(f"times/{name}", experiments.times, parameters, 3 * each)
    for label, of in READINGS.get(name, {}).items():
        n_trials = 1 if quick else 3 if name == "usps" else N_TRIALS
        yield reading_step(f"readings/{name}/{label}", name, n_trials, of, 89)
    if name in SMALL:
        for share in SHARES:
            n_trials = 3 if quick else MANY
            yield reading_step(f"chance/{share}/{name}", name, n_trials, (SOURCES[name], "e1071", True), share)


class DonStudy(Study):
    """Rathgamage Don & Iacob 2018: Tables 4 to 6, Figures 4 to 10."""

    name: ClassVar[str] = "don2018"
    title: ClassVar[str] = "DCSVM: fast multi-class classification using support vector machines"
    reference: ClassVar[str] = (
        "D. Rathgamage Don and I. E. Iacob, DCSVM: Fast Multi-class Classification using Support Vector Machines, 2018."
    )

    def steps(self, settings: Settings) -> list[Step]:
        """Set by set, so that each file is read few times."""
        return [
            step
            for name in SOURCES
            for step in (
                *(s for share in SHARES for s in trial_steps(name, share, settings.quick)),
                *other_steps(name, settings.quick),
            )
        ]

    def report(self, settings: Settings, found: Mapping[str, Found]) -> Report:
        """Tables, claims and pictures."""
        from .report import report

        return report(self, settings, found)


STUDY = DonStudy()
