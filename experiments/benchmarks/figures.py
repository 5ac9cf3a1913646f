"""The figures that pages take from the records of benchmarks, by name, as they are written there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from ..records import read_json
from .census import summary
from .command import RESULTS
from .goals import LARGE, SMALL, TEXT
from .results import Result

Figures = Iterator[tuple[str, str]]


def figures(folder: Path = RESULTS) -> dict[str, str]:
    """Every figure that is quoted somewhere, by name, as it is written.

    Parameters
    ----------
    folder : Path
        Of the results.

    Examples
    --------
    >>> from experiments.benchmarks.figures import figures
    >>> float(figures()["letter.fit.times"]) > 1
    True
    """

    def read(name: str) -> Any:
        return read_json(folder / f"{name}.json")

    found: dict[str, str] = {}
    for part in (
        _of_peers(read("bench")["sets"]),
        _of_census(read("census")["sets"]),
        _mnist(read("mnist")),
        _covertype(read("covertype")["sets"]),
        _tuning(read("tuning")["result"]),
        _others(read("sparse")["sets"], read("fingerprints")["sets"]),
        _clouds(read("scaling")["points"]),
        _probabilities(read("probability")["sets"]),
    ):
        found |= dict(part)
    return found


def figures_of_avx2(folder: Path) -> dict[str, str]:
    """The figures of `peers` and `census` in a folder of records with another instruction set.

    Parameters
    ----------
    folder : Path
    """
    bench, census = (read_json(folder / f"{name}.json")["sets"] for name in ("bench", "census"))
    return {**dict(_of_peers(bench)), **dict(_of_census(census))}


def three(value: float) -> str:
    """Three digits that count."""
    return f"{value:.3g}"


def one(value: float) -> str:
    """One digit behind the point."""
    return f"{value:.1f}"


def _ratio(result: Result, what: str) -> float:
    return next(float(row["ratio"]) for row in result["ratios"] if row["what"] == what)


def _of_peers(sets: dict[str, Result]) -> Figures:
    for name, result in sets.items():
        seconds = result["seconds"]
        yield f"{name}.fit.s", three(median(seconds["fit"]["dagmar"]))
        yield f"{name}.fit.times", one(_ratio(result, "fit"))
        for what in ("ddag", "max_wins"):
            yield f"{name}.{what}.s", three(median(seconds["first_predict"][f"dagmar {what}"]))
            yield f"{name}.{what}.times", one(_ratio(result, what))
        yield f"{name}.row.times", one(_ratio(result, "one row"))


def _of_census(sets: dict[str, Result]) -> Figures:
    names = {LARGE: "large", SMALL: "small", TEXT: "text"}
    for row in summary(sets):
        group = names[row["group"]]
        yield f"{group}.runs", str(row["sets"])
        yield f"{group}.{row['what']}.mean", one(row["mean"])
        yield f"{group}.{row['what']}.least", one(row["least"])
        yield f"{group}.{row['what']}.least_of", _shape(row["least_of"], sets[row["least_of"]]["case"])


def _shape(name: str, case: dict[str, Any]) -> str:
    """A stand-in by its shape, a well-known set by its name."""
    if case["source"] != "a seed":
        return name.split(",")[0]
    return f"{case['train_rows'] + case['test_rows']} × {case['features']}, {case['classes']} classes"


def _mnist(report: dict[str, Any]) -> Figures:
    yield "mnist.fit.s", one(median(report["seconds"]["fit"]["dagmar max_wins"]))
    yield "mnist.fit.times", one(report["fit_ratio"])
    yield "mnist.predict.times", one(report["predict_ratios"]["dagmar max_wins"])


def _covertype(sets: dict[str, Any]) -> Figures:
    for rows in (25000, 50000, 100000):
        for name, key in (("equal", "equal cache"), ("defaults", "defaults")):
            result = sets[f"{rows} rows, {key}"]
            yield f"covertype.{rows}.{name}.fit", one(result["fit_ratio"])
            yield f"covertype.{rows}.{name}.predict", one(result["predict_ratios"]["dagmar max_wins"])
    outcome = sets["80 % of all rows"]["outcome"]
    yield "covertype.all.s", f"{median(outcome['fit']):.0f}"
    yield "covertype.all.mib", f"{outcome['grew_mib']:.0f}"


def _tuning(result: dict[str, Any]) -> Figures:
    yield "tuning.times", one(result["ratios"]["GridSearchCV of sklearn.svm.SVC"])
    yield "tuning.points", f"{result['points_from_scikit_learn']['dagmar.SVCCV']:.2f}"


def _others(sparse: dict[str, Result], fingerprints: dict[str, Any]) -> Figures:
    yield "sparse.fit", one(_ratio(sparse["text-rbf"], "fit"))
    yield "sparse.predict", one(_ratio(sparse["text-rbf"], "max_wins"))
    outcomes = fingerprints["fingerprints"]["outcomes"]
    seconds = {name: median(outcome["fit"]) for name, outcome in outcomes.items()}
    yield "fingerprints.fit", one(seconds["scikit-learn, precomputed"] / seconds["dagmar, float64, 2 threads"])


def _clouds(points: dict[str, Any]) -> Figures:
    def fit(point: dict[str, Any]) -> float:
        return float(median(point["fit"]))

    def predict(point: dict[str, Any]) -> str:
        per_thousand = 1000 * 1000 / point["case"]["test_rows"]
        return f"{per_thousand * median(point['next_predict']):.0f}"

    pairs, rest = points["classes/clouds/one-vs-one/300"], points["classes/clouds/one-vs-rest/300"]
    yield "clouds.300.fit", one(fit(pairs))
    yield "clouds.300.fit_times", one(fit(rest) / fit(pairs))
    yield "clouds.300.mib", f"{pairs['grew_mib']:.0f}"
    yield "clouds.300.ms", predict(pairs)
    yield "clouds.300.rest.ms", predict(rest)
    yield "clouds.1000.mib", f"{points['classes/clouds/one-vs-one/1000']['grew_mib']:.0f}"


def _probabilities(sets: dict[str, Any]) -> Figures:
    ways = {
        "dagmar": "dagmar.SVC(probability=True)",
        "temperature": 'CalibratedClassifierCV(dagmar.SVC(), "temperature")',
        "sigmoid": 'CalibratedClassifierCV(dagmar.SVC(), "sigmoid")',
    }
    form: Callable[[float], str] = "{:.3f}".format
    for name, result in sets.items():
        yield f"probability.{name}.rows", str(result["case"]["train_rows"])
        yield f"probability.{name}.classes", str(result["case"]["classes"])
        for way, key in ways.items():
            found = result["results"][key]
            yield f"probability.{name}.{way}.loss", form(found["log_loss"])
            yield f"probability.{name}.{way}.error", form(found["calibration_error"])
            yield f"probability.{name}.{way}.s", f"{found['fit_seconds']:.2f}"
