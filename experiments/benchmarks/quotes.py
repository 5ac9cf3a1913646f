"""The figures that the README and the pages of the documentation take from the results of benchmarks.

`QUOTES` lists every such sentence with its holes. A test compares each with the results, and that no other number with a
unit stands on those pages, unless `BY_HAND` says where it comes from. ``make figures`` writes the figures into the pages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from ..exceptions import DataError
from .census import summary
from .goals import LARGE, SMALL, TEXT
from .results import Result

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).parent / "results"

# The rows of the two tables of speed.
TABLES = (
    "| fit | {letter.fit.s} s, {letter.fit.times} × | {pendigits.fit.s} s, {pendigits.fit.times} × | "
    "{usps.fit.s} s, {usps.fit.times} × |",
    '| predict, `"ddag"` | {letter.ddag.s} s, {letter.ddag.times} × | {pendigits.ddag.s} s, {pendigits.ddag.times} × | '
    "{usps.ddag.s} s, {usps.ddag.times} × |",
    '| predict, `"max_wins"` | {letter.max_wins.s} s, {letter.max_wins.times} × | {pendigits.max_wins.s} s, '
    "{pendigits.max_wins.times} × | {usps.max_wins.s} s, {usps.max_wins.times} × |",
    "| one row, against scikit-learn | {letter.row.times} × | {pendigits.row.times} × | {usps.row.times} × |",
    "| dense, 1000 rows and more | {large.runs} | {large.fit.mean} ×, {large.fit.least} × ({large.fit.least_of}) | "
    "{large.predict.mean} ×, {large.predict.least} × ({large.predict.least_of}) |",
    "| dense, fewer rows | {small.runs} | {small.fit.mean} ×, {small.fit.least} × ({small.fit.least_of}) | "
    "{small.predict.mean} ×, {small.predict.least} × ({small.predict.least_of}) |",
    "| text, 12,000 and 20,000 words | {text.runs} | {text.fit.mean} ×, {text.fit.least} × | {text.predict.mean} ×, "
    "{text.predict.least} × |",
)

# By page: sentences and rows of tables, with a hole for each figure. White space and line ends do not matter.
QUOTES: dict[str, tuple[str, ...]] = {
    "README.md": TABLES,
    "docs/benchmarks.md": (
        *TABLES,
        "(16000 × 16, 26 classes) trains in {letter.fit.s} s, {letter.fit.times} times as fast as the best peer; `predict` "
        "of its 4000 test rows takes {letter.max_wins.s} s, {letter.max_wins.times} times as fast.",
        "all its 60,000 rows trains in {mnist.fit.s} s, {mnist.fit.times} times as fast as scikit-learn-intelex; predict is "
        "{mnist.predict.times} times as fast.",
        "fit is {covertype.25000.equal.fit} times as fast as scikit-learn-intelex with the same cache of 2000 MB, and predict "
        "{covertype.25000.equal.predict} times; with everyone's defaults {covertype.25000.defaults.fit} and "
        "{covertype.25000.defaults.predict} times. On 50,000 rows it is {covertype.50000.equal.fit} and "
        "{covertype.50000.equal.predict} times, with defaults {covertype.50000.defaults.fit} and "
        "{covertype.50000.defaults.predict} times; on 100,000 rows {covertype.100000.equal.fit} and "
        "{covertype.100000.equal.predict} times, with defaults {covertype.100000.defaults.fit} and "
        "{covertype.100000.defaults.predict} times",
        "464,809 rows, 80 % of the set, train in {covertype.all.s} s on two cores, within {covertype.all.mib} MiB in addition",
        "`SVCCV` is {tuning.times} times as fast as `GridSearchCV` over scikit-learn's `SVC` on two processes. Scores agree to "
        "{tuning.points} points.",
        "fit is {sparse.fit} times and predict {sparse.predict} times as fast as the best peer",
        "{fingerprints.fit} times as fast as scikit-learn with a precomputed matrix",
        "1000 classes (499,500 pairs) train within {clouds.1000.mib} MiB",
    ),
    "docs/distributed.md": (
        "the local fit takes {letter.fit.s} s for Letter and {mnist.fit.s} s for MNIST: compare seconds only",
    ),
    "docs/which_structure.md": (
        "[a fit takes {clouds.300.fit} s](scaling.md) on two cores, {clouds.300.fit_times} times less than one-vs-rest",
        "Memory grew by {clouds.300.mib} MiB. Predictions of one-vs-rest are quicker there ({clouds.300.rest.ms} instead of "
        "{clouds.300.ms} ms for 1000 rows)",
    ),
    "docs/probabilities.md": tuple(
        f"| {name} ({{probability.{name}.rows}}, {{probability.{name}.classes}}) | "
        + " | ".join(
            f"{{probability.{name}.{way}.loss}} / {{probability.{name}.{way}.error}} / {{probability.{name}.{way}.s}} s"
            for way in ("dagmar", "temperature", "sigmoid")
        )
        + " |"
        for name in ("letter", "pendigits", "optdigits", "digits", "vehicle", "winequality-red")
    ),
}

# Numbers with units that come from no benchmark: by page, what stands there, and where it comes from.
BY_HAND: dict[str, dict[str, str]] = {
    "docs/scikit-learn.md": {
        "60 µs, and": "timed by hand; the making of one row, which is not ours",
        "600 µs": "timed by hand; the making of one row, which is not ours",
    },
    "docs/tuning.md": {
        "to 16 times it": "the grid of the adaptive search",
        "0.64, 0.61 and 1.9 s; 0.8, 0.9 and 2.9 s; 2.6, 2.9 and 6.5 s": "timed once, in an earlier state of the code",
    },
    "docs/benchmarks.md": {
        "at least 0.2 s": "how a benchmark is run",
        "more than 3 s": "how a benchmark is run",
        "or four times as long": "how a benchmark is run",
        "at most 0.1 ms": "a way that was measured with and without, in the state of the code then",
        "takes 24 ms": "a way that was measured with and without, in the state of the code then",
    },
    "docs/bounds.md": {"0.4 s on one thread": "timed once", "take 13 s": "timed once"},
    "docs/deployment.md": {"more than 2 GiB": "a limit of the format"},
    "docs/reliability.md": {"5,000 times the number": "a limit of the solver"},
    "docs/results.md": {"visited 0 times": "the output of a snippet, which a test runs"},
    "docs/papers.md": {"1.4 to 1.9 times": "a sentence on a paper, which another test compares"},
    "docs/clusters.md": {},
}

_NUMBER = r"([\d.,]*\d)"
_UNIT = re.compile(r"\d[\d.,]*(?: ×(?= ?[,|)]| *$)| times\b| s\b| ms\b| µs\b| MiB\b| GiB\b)", re.MULTILINE)


@dataclass(frozen=True)
class Hole:
    """A figure as it stands in a text.

    Attributes
    ----------
    name : str
        Of the figure.
    begin, end : int
        Where it stands.
    """

    name: str
    begin: int
    end: int


def figures(folder: Path = RESULTS) -> dict[str, str]:
    """Every figure that is quoted somewhere, by name, as it is written.

    Parameters
    ----------
    folder : Path
        Of the results.

    Examples
    --------
    >>> from experiments.benchmarks.quotes import figures
    >>> float(figures()["letter.fit.times"]) > 1
    True
    """

    def read(name: str) -> Any:
        return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))

    found: dict[str, str] = {}
    for part in (
        _peers(read("bench")["sets"]),
        _census(read("census")["sets"]),
        _mnist(read("mnist")),
        _covertype(read("covertype")["sets"]),
        _tuning(read("tuning")["result"]),
        _others(read("sparse")["sets"], read("fingerprints")["sets"]),
        _clouds(read("scaling")["points"]),
        _probabilities(read("probability")["sets"]),
    ):
        found |= dict(part)
    return found


def holes(template: str, text: str) -> list[Hole]:
    """Where the figures of a sentence stand in a text.

    Parameters
    ----------
    template : str
        One of `QUOTES`.
    text : str

    Returns
    -------
    list of Hole
        Empty if the sentence is not there, or more than once.
    """
    parts = re.split(r"\{([\w.-]+)\}", template)
    words = [r"\s+".join(map(re.escape, re.split(r"\s+", part))) for part in parts[::2]]
    names = parts[1::2]
    hole = [_hole(name) for name in names]
    pattern = "".join(a + b for a, b in zip(words, [*hole, ""], strict=True))
    matches = list(re.finditer(pattern, text))
    if len(matches) != 1:
        return []
    return [Hole(name, *matches[0].span(i + 1)) for i, name in enumerate(names)]


def differences(page: str, text: str, known: dict[str, str]) -> Iterator[str]:
    """What of the quotes of a page is not so, in words.

    Parameters
    ----------
    page : str
        Its path in the repository.
    text : str
    known : dict of str to str
        As `figures` returns them.
    """
    for template in QUOTES[page]:
        found = holes(template, text)
        if not found:
            yield f"{page} does not have, or has twice: {template}"
        for hole in found:
            if text[hole.begin : hole.end] != known[hole.name]:
                yield f"{page} has {text[hole.begin : hole.end]} for {hole.name}, the results have {known[hole.name]}"


def written(page: str, text: str, known: dict[str, str]) -> str:
    """A page with its figures as the results have them.

    Parameters
    ----------
    page : str
        Its path in the repository.
    text : str
    known : dict of str to str
        As `figures` returns them.

    Raises
    ------
    DataError
        A sentence of the list is not on the page.
    """
    found: list[Hole] = []
    for template in QUOTES[page]:
        there = holes(template, text)
        if not there:
            raise DataError(f"{page} does not have, or has twice: {template}")
        found += there
    for hole in sorted(found, key=lambda hole: -hole.begin):
        text = text[: hole.begin] + known[hole.name] + text[hole.end :]
    return text


def unlisted(page: str, text: str) -> list[str]:
    """The numbers with units on a page that are neither quoted nor said to come from elsewhere.

    Parameters
    ----------
    page : str
        Its path in the repository.
    text : str
    """
    spans = [(h.begin, h.end) for template in QUOTES.get(page, ()) for h in holes(template, text)]
    for phrase in BY_HAND.get(page, {}):
        pattern = r"\s+".join(map(re.escape, phrase.split()))
        spans += [found.span() for found in re.finditer(pattern, text)]
    return [found[0] for found in _UNIT.finditer(text) if not any(begin <= found.start() < end for begin, end in spans)]


def write_pages(root: Path = ROOT) -> list[str]:
    """Write the figures of the results into all pages.

    Parameters
    ----------
    root : Path

    Returns
    -------
    list of str
        The pages that changed.
    """
    known, changed = figures(), []
    for page in QUOTES:
        text = (root / page).read_text(encoding="utf-8")
        new = written(page, text, known)
        if new != text:
            (root / page).write_text(new, encoding="utf-8")
            changed.append(page)
    return changed


Figures = Iterator[tuple[str, str]]


def _hole(name: str) -> str:
    return r"([^|()]+?)" if name.endswith(".least_of") else _NUMBER


def _three(value: float) -> str:
    """Three digits that count."""
    return f"{value:.3g}"


def _one(value: float) -> str:
    return f"{value:.1f}"


def _ratio(result: Result, what: str) -> float:
    return next(float(row["ratio"]) for row in result["ratios"] if row["what"] == what)


def _peers(sets: dict[str, Result]) -> Figures:
    for name, result in sets.items():
        seconds = result["seconds"]
        yield f"{name}.fit.s", _three(median(seconds["fit"]["dagmar"]))
        yield f"{name}.fit.times", _one(_ratio(result, "fit"))
        for what in ("ddag", "max_wins"):
            yield f"{name}.{what}.s", _three(median(seconds["first_predict"][f"dagmar {what}"]))
            yield f"{name}.{what}.times", _one(_ratio(result, what))
        yield f"{name}.row.times", _one(_ratio(result, "one row"))


def _census(sets: dict[str, Result]) -> Figures:
    names = {LARGE: "large", SMALL: "small", TEXT: "text"}
    for row in summary(sets):
        group = names[row["group"]]
        yield f"{group}.runs", str(row["sets"])
        yield f"{group}.{row['what']}.mean", _one(row["mean"])
        yield f"{group}.{row['what']}.least", _one(row["least"])
        yield f"{group}.{row['what']}.least_of", _shape(row["least_of"], sets[row["least_of"]]["case"])


def _shape(name: str, case: dict[str, Any]) -> str:
    """A stand-in by its shape, a well-known set by its name."""
    if case["source"] != "a seed":
        return name.split(",")[0]
    return f"{case['train_rows'] + case['test_rows']} × {case['features']}, {case['classes']} classes"


def _mnist(report: dict[str, Any]) -> Figures:
    yield "mnist.fit.s", _one(median(report["seconds"]["fit"]["dagmar max_wins"]))
    yield "mnist.fit.times", _one(report["fit_ratio"])
    yield "mnist.predict.times", _one(report["predict_ratios"]["dagmar max_wins"])


def _covertype(sets: dict[str, Any]) -> Figures:
    for rows in (25000, 50000, 100000):
        for name, key in (("equal", "equal cache"), ("defaults", "defaults")):
            result = sets[f"{rows} rows, {key}"]
            yield f"covertype.{rows}.{name}.fit", _one(result["fit_ratio"])
            yield f"covertype.{rows}.{name}.predict", _one(result["predict_ratios"]["dagmar max_wins"])
    outcome = sets["80 % of all rows"]["outcome"]
    yield "covertype.all.s", f"{median(outcome['fit']):.0f}"
    yield "covertype.all.mib", f"{outcome['grew_mib']:.0f}"


def _tuning(result: dict[str, Any]) -> Figures:
    yield "tuning.times", _one(result["ratios"]["GridSearchCV of sklearn.svm.SVC"])
    yield "tuning.points", f"{result['points_from_scikit_learn']['dagmar.SVCCV']:.2f}"


def _others(sparse: dict[str, Result], fingerprints: dict[str, Any]) -> Figures:
    yield "sparse.fit", _one(_ratio(sparse["text-rbf"], "fit"))
    yield "sparse.predict", _one(_ratio(sparse["text-rbf"], "max_wins"))
    outcomes = fingerprints["fingerprints"]["outcomes"]
    seconds = {name: median(outcome["fit"]) for name, outcome in outcomes.items()}
    yield "fingerprints.fit", _one(seconds["scikit-learn, precomputed"] / seconds["dagmar, float64, 2 threads"])


def _clouds(points: dict[str, Any]) -> Figures:
    def fit(point: dict[str, Any]) -> float:
        return float(median(point["fit"]))

    def predict(point: dict[str, Any]) -> str:
        per_thousand = 1000 * 1000 / point["case"]["test_rows"]
        return f"{per_thousand * median(point['next_predict']):.0f}"

    pairs, rest = points["classes/clouds/one-vs-one/300"], points["classes/clouds/one-vs-rest/300"]
    yield "clouds.300.fit", _one(fit(pairs))
    yield "clouds.300.fit_times", _one(fit(rest) / fit(pairs))
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


if __name__ == "__main__":
    print("\n".join(write_pages()) or "no figure changed")
