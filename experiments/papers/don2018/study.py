"""The protocol as a list of steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import ClassVar

from ..report import Report
from ..study import Found, Settings, Step, Study
from . import checks, example, experiments, theory
from .published import CLASSES, THETAS
from .sources import SOURCES, Source

# Percent to train on, and how many trials: what the paper says, and what fits most of its accuracies.
TRIALS = {80: 10, 90: 11}
SHARES = tuple(TRIALS)
FIGURE_SETS = ("letter", "vowel", "usps", "sensorless")
CURVE = ("0", "0.01", "0.1", "0.5", "1", "1.5", "2", "2.5", "3", "4", "5")
FINE = tuple(round(0.1 * i, 1) for i in range(51))
N_CURVES = {"letter": 5, "poker": 2}  # trials of a curve; elsewhere 3
BATCH = {"letter": 6, "poker": 6}  # trials of a step
TOLS = (1e-2, 1e-3, 1e-4)
COSTS = (1.0, 10.0, 100.0, 1000.0)  # C of the worked example
N_SPLITS = 20  # of the worked example
ROUNDS = 5  # of everything that is timed
KEPT, ADDED, N_DIMENSION = (0.25, 0.5, 1.0), (1, 3), 5
PART = 2000  # rows, at most, where features are left out or added
CLASSIFIER_SETS = ("segmentation", "wine-quality", "glass", "svmguide4", "vowel")
# Real sets with at least six classes: with fewer, machines have hardly a third class to decide.
DIMENSION_SETS = tuple(name for name, k in CLASSES.items() if k >= 6 and SOURCES[name].file)
SPLIT_SETS = ("glass", "vowel")  # whose rows per class are in the paper's figures
SECONDS = {
    "letter": 5.7,
    "poker": 4.5,
    "usps": 0.7,
    "sensorless": 0.4,
    "covertype": 0.3,
}  # of a trial; elsewhere 0.2

# How the reading of a set in our tables is called, beside the others.
CHOSEN = {
    "segmentation": "training file, classes in equal parts",
    "glass": "with the row number",
    "covertype": "a sample of all rows",
    "svmguide4": "training file",
    "vowel": "training file",
    "usps": "test file",
}
# Other readings of these sets: how they are called, rows, scaling, whether classes are split by themselves.
READINGS: dict[str, dict[str, tuple[Source, str, bool]]] = {
    "segmentation": {
        "training file, split at random": (SOURCES["segmentation"], "e1071", False),
        "training file, each feature scaled": (SOURCES["segmentation"], "each", True),
        "both files": (Source("segment"), "e1071", True),
    },
    "glass": {"without it": (Source("glass"), "e1071", True)},
    "covertype": {
        "the same, each feature scaled": (SOURCES["covertype"], "each", True),
        "as many rows of the balanced file": (Source("covertype", "train", sample=1460, quick=600), "e1071", True),
        "a larger sample of all rows": (replace(SOURCES["covertype"], sample=2920, quick=900), "e1071", True),
    },
    "svmguide4": {"both files": (Source("svmguide4"), "e1071", True)},
    "vowel": {"both files": (Source("vowel"), "e1071", True)},
    "usps": {
        "test file, smoothed": (replace(SOURCES["usps"], smooth=0.75), "e1071", True),
        "training file": (Source("usps", "train", quick=700), "e1071", True),
    },
}


def rows_taken(name: str) -> Found:
    """The parameters that say which rows a step takes."""
    return {"name": name, "source": asdict(SOURCES[name])}


def trial_steps(name: str, share: int, quick: bool) -> Iterator[Step]:
    """The trials of a set, in lots that lose little when they are stopped."""
    n_trials = 2 if quick else TRIALS[share]
    batch = BATCH.get(name, n_trials)
    for first in range(1, n_trials + 1, batch):
        last = min(n_trials, first + batch - 1)
        yield Step(
            f"trials/{share}/{name}/{first}-{last}",
            experiments.trials,
            {**rows_taken(name), "share": share, "first": first, "last": last, "thetas": list(THETAS)},
            SECONDS.get(name, 0.2) * (last - first + 1),
        )


def curve_step(name: str, share: int, quick: bool) -> Step:
    """Curves over theta of a set."""
    n_trials = 1 if quick else N_CURVES.get(name, 3)
    parameters = {**rows_taken(name), "share": share, "n_trials": n_trials, "thetas": list(CURVE), "fine": list(FINE)}
    return Step(f"curve/{share}/{name}", experiments.curve, parameters, SECONDS.get(name, 0.2) * n_trials)


def reading_steps(name: str, quick: bool) -> Iterator[Step]:
    """A set in all readings."""
    for share in SHARES:
        for label, (source, scaling, by_class) in READINGS.get(name, {}).items():
            n_trials = 1 if quick else 3 if name == "usps" else TRIALS[share]
            parameters = {"name": name, "share": share, "n_trials": n_trials, "source": asdict(source)}
            parameters |= {"scaling": scaling, "by_class": by_class, "thetas": ["0.01", "2"]}
            weight = n_trials * (3.0 if source.file == "usps" else 0.2)
            yield Step(f"readings/{share}/{name}/{label}", experiments.reading, parameters, weight)


def check_steps(name: str, quick: bool) -> Iterator[Step]:
    """Times, and steps that ask why, of a set; all with the share of rows that the paper says."""
    each, rows = SECONDS.get(name, 0.2), {**rows_taken(name), "share": 80}
    timed = {"theta": "0.01", "one_by_one": 5 if quick else 20, "counted": 500, "rounds": 3 if quick else ROUNDS}
    yield Step(f"times/{name}", experiments.times, rows | timed, 4 * each)
    yield Step(f"tolerance/{name}", checks.tolerance, rows | {"tols": list(TOLS)}, 3 * each)
    if name in DIMENSION_SETS:
        source = SOURCES[name]
        part = replace(source, sample=min(source.sample or PART, PART))
        many = {"n_trials": 1 if quick else N_DIMENSION, "kept": list(KEPT), "added": list(ADDED)}
        parameters = {**rows, "source": asdict(part), **many}
        yield Step(f"dimension/{name}", checks.dimension, parameters, 30.0 if name == "letter" else 5.0)
    if name in CLASSIFIER_SETS:
        parameters = {**rows, "n_trials": 1 if quick else TRIALS[80], "theta": "0.01"}
        yield Step(f"classifiers/{name}", checks.classifiers, parameters, 5.0)
    if name in SPLIT_SETS:
        parameters = {"source": asdict(SOURCES[name]), "shares": list(SHARES), "n_splits": N_SPLITS}
        yield Step(f"class_rows/{name}", checks.class_rows, parameters, 0.1)


def example_steps(quick: bool) -> Iterator[Step]:
    """The worked example, and the propositions."""
    n_splits = 2 if quick else N_SPLITS
    for C in COSTS[:2] if quick else COSTS:
        yield Step(f"example/{C:g}", example.example, {"C": C, "share": 80, "n_splits": n_splits}, 3.0)
    most = 9 if quick else 27
    yield Step("propositions", theory.propositions, {"classes": list(range(4, most))}, 0.5)


class DonStudy(Study):
    """Rathgamage Don & Iacob 2018: the worked example, Tables 4 to 6, Figures 4 to 10."""

    name: ClassVar[str] = "don2018"
    title: ClassVar[str] = "DCSVM: fast multi-class classification using support vector machines"
    reference: ClassVar[str] = (
        "D. Rathgamage Don and I. E. Iacob, DCSVM: Fast Multi-class Classification using Support Vector Machines, 2018."
    )

    def steps(self, settings: Settings) -> list[Step]:
        """Set by set, so that each file is read few times."""
        quick = settings.quick
        return [
            *example_steps(quick),
            *(
                step
                for name in SOURCES
                for step in (
                    *(s for share in SHARES for s in trial_steps(name, share, quick)),
                    *(curve_step(name, share, quick) for share in SHARES),
                    *check_steps(name, quick),
                    *reading_steps(name, quick),
                )
            ),
        ]

    def report(self, settings: Settings, found: Mapping[str, Found]) -> Report:
        """Tables, claims and pictures."""
        from .report import report

        return report(self, settings, found)


STUDY = DonStudy()
