"""docs/scaling.md from the record: every sentence with a number in it is made from the numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from statistics import median

from ..environment import processor
from ..growth import PowerLaw
from ..provenance import source_in_words
from ..records import read_json
from ..tables import NONE, Table
from .curves import MEASURES, SIZES, Record, Series, all_series, family
from .points import ONE_VS_ONE, ONE_VS_REST, SCIKIT_LEARN
from .report import conditions
from .synthetic import CLOUD_CEILING

RESULTS = Path(__file__).parent / "results"
GOAL_GIB = 8  # for the most classes
TITLES = {"letter": "Letter", "mnist": "MNIST", "covertype": "Covertype", "clouds": "Gaussian clouds, 100 rows a class"}
NOTES = {
    "letter": "The first rows of the official training part, features as x/7.5 − 1; tested on the official test part.",
    "mnist": "The first rows of the official training part, features as x/255; tested on the official test part.",
    "covertype": "All 581,012 rows in a seeded order, the first to train on, the last to test; features to [0, 1] by the "
    "training rows. C is that of Platt et al.; their gamma of 0.5 is for features of variance 1.",
    "clouds": "Round clouds of equal spread about random centres, as wide as lets the nearest true centre be right on "
    f'{100 * CLOUD_CEILING:g} % of the test rows, whatever the number of classes; gamma as scikit-learn\'s `"scale"`.',
}
BY_CLASSES = {"letter": "The rows of the first classes, features as x/7.5 − 1; of the official parts."}
OURS = (ONE_VS_ONE, ONE_VS_REST)

INTRODUCTION = """
Each point below is one fit in a process of its own. **One-vs-one** is `dagmar.SVC(structure="ddag")`, a machine for each of
the N(N−1)/2 pairs of classes; **one-vs-rest** is `dagmar.SVC(structure="one_vs_rest")`, N machines, each on all rows;
**scikit-learn** is `sklearn.svm.SVC`, which trains all pairs, on one thread.

- *fit*: seconds, the median of up to five where one takes less than two seconds.
- *predict*: milliseconds for 1000 rows, from a batch of all test rows: the first call after `fit`, which builds the native
  model, and the median of the next ones.
- *memory*: MiB by which the process grew at its peak, from just before `fit` until the first `predict` was done: the kernel
  rows that are kept, the model, and all that was needed on the way, but not the data.
""".strip()

PLATT = """
Platt, Cristianini and Shawe-Taylor (section 4) take the training time of one machine on m rows as c·mᵍ with g about 2.
N machines on all rows then take c·N·mᵍ, and the pairs of classes of equal size c·N(N−1)/2·(2m/N)ᵍ: one-vs-rest takes
N²/(2(N−1)) times as long for g = 2. With a fixed number of rows in a class the time of one-vs-one grows with N², that of
one-vs-rest with N¹⁺ᵍ. The tables have what the points say: c and the exponent by least squares in logarithms, and R², the
share of the variance that this accounts for. Two points lie on a power law by themselves; such fits are left out.
""".strip()


def document(record: Record, pictures: list[str]) -> str:
    """The whole document as Markdown.

    Parameters
    ----------
    record : dict
        As `scaling` writes it.
    pictures : list of str
        Names of the files in the folder ``pictures`` that were drawn.

    Returns
    -------
    str
    """
    parts = [
        "# How time and memory grow",
        "Written by `python -m experiments bench scaling` from `experiments/benchmarks/results/scaling.json`.",
        INTRODUCTION,
        conditions(record),
        *earlier_sources(record),
        *other_record(record),
    ]
    for axis in dict.fromkeys(axis for axis, _ in SIZES):
        sections = [line for a, name in SIZES if a == axis for line in _section(record, axis, name)]
        if sections:
            parts += [f"## By {axis}", *_picture(pictures, f"scaling-{axis}.png", f"Growth with {axis}"), *sections]
    parts += ["## Power laws", PLATT, *(table.markdown() for table in law_tables(record))]
    parts += ["## Memory", *_picture(pictures, "scaling-memory.png", "Growth of memory"), *memory_sentences(record)]
    absent = not_run(record)
    if absent:
        parts += ["## Not run", "\n".join(f"- {line}" for line in absent)]
    return "\n\n".join(parts) + "\n"


def earlier_sources(record: Record) -> list[str]:
    """A sentence on points that earlier runs measured, if there are any of other sources."""
    words = [source_in_words(source) for source in record.get("earlier_sources", [])]
    return [f"Some points were measured by earlier runs. {' '.join(dict.fromkeys(words))}"] if words else []


def other_record(record: Record, results: Path = RESULTS) -> list[str]:
    """A sentence on the time that another record has for the same fit, where the two are far from each other.

    Parameters
    ----------
    record : dict
    results : Path
        The folder of the records of benchmarks.
    """
    found = record["points"].get("rows/letter/one-vs-one/16000")
    if not found or found["status"] != "done" or not (results / "bench.json").exists():
        return []
    bench = read_json(results / "bench.json")
    seconds, here = median(bench["sets"]["letter"]["seconds"]["fit"]["dagmar"]), median(found["fit"])
    if abs(math.log(here / seconds)) < math.log(1.25):
        return []
    return [
        "**This is another record than that of the comparison with other libraries** ([benchmarks.md](benchmarks.md)), where "
        f"the fit of Letter takes {seconds:.3g} s on {processor(bench['environment'])}; here it is {here:.3g} s. Compare times "
        "only within this page."
    ]


def _picture(pictures: list[str], name: str, caption: str) -> list[str]:
    return [f"![{caption}](pictures/{name})"] if name in pictures else []


def _section(record: Record, axis: str, name: str) -> list[str]:
    curves = [series for series in family(record, axis, name) if series.done(record)]
    if not curves:
        return []
    note = BY_CLASSES.get(name, NOTES[name]) if axis == "classes" else NOTES[name]
    return [
        f"### {TITLES[name]}, by {axis}",
        f"{note} {parameters(record, curves)}",
        table(record, curves).markdown(),
        *comparisons(record, curves),
    ]


def parameters(record: Record, curves: list[Series]) -> str:
    """What all points of a set have in common, in words."""
    cases = [entry["case"] for series in curves for entry in series.done(record).values()]

    def span(key: str, form: Callable[[float], str] = "{:g}".format) -> str:
        low, high = (form(f(case[key] for case in cases)) for f in (min, max))
        return low if low == high else f"{low} to {high}"

    case = cases[0]
    return (
        f"{span('features')} features, {span('classes')} classes, {span('test_rows', '{:.0f}'.format)} test rows; "
        f"{case['kernel']}, gamma {span('gamma', '{:.3g}'.format)}, C {span('C')}, tol {span('tol')}, "
        f"cache {span('cache_mb')} MB; from {case['source']}."
    )


def table(record: Record, curves: list[Series]) -> Table:
    """Every point of a set, series by series.

    Parameters
    ----------
    record : dict
    curves : list of Series
        Over the same sizes.

    Returns
    -------
    Table
    """
    axis = curves[0].axis
    rows = []
    for series in curves:
        for size, entry in series.entries(record).items():
            cells = [NONE] * 6
            if entry["status"] == "done":
                of = {measure: read(entry) for measure, read in MEASURES.items()}
                cells = [
                    f"{of['fit']:.3g}",
                    f"{1000 * of['first predict']:.3g}",
                    f"{1000 * of['predict']:.3g}",
                    f"{of['memory']:.0f}",
                    f"{entry['machines']}",
                    f"{entry['accuracy']:.2f}",
                ]
            elif entry["status"] == "over":
                cells[0] = f"over {entry['limit']:g}"
            else:
                cells[0] = entry["status"]
            rows.append([series.who, str(size), *cells])
    head = ["", axis, "fit s", "first predict ms", "next predict ms", "memory MiB", "machines", "accuracy %"]
    return Table(f"{TITLES[curves[0].set]}: every point", head, rows)


def comparisons(record: Record, curves: list[Series]) -> list[str]:
    """One-vs-one beside each of the others, at the largest size that both have.

    Parameters
    ----------
    record : dict
    curves : list of Series

    Returns
    -------
    list of str
        A paragraph, or nothing if there is nothing to compare.
    """
    by_who = {series.who: series for series in curves}
    ours, sentences = by_who.get(ONE_VS_ONE), []
    for other in (ONE_VS_REST, SCIKIT_LEARN):
        if ours is None or other not in by_who:
            continue
        both = ours.done(record).keys() & by_who[other].done(record).keys()
        if not both:
            continue
        size = max(both)
        fit, predict = (by_who[other].curve(record, m)[size] / ours.curve(record, m)[size] for m in ("fit", "predict"))
        entry = ours.done(record)[size]
        sentence = (
            f"At {size} {ours.axis} one-vs-one {speed('trains', 'to train', fit, other)} and "
            f"{speed('predicts', 'to predict', predict, other)}"
        )
        if other == ONE_VS_REST:
            N = entry["case"]["classes"]
            sentence += f" (Platt's formula below, with g = 2, has {N**2 / (2 * (N - 1)):.3g} times for training)"
        sentences.append(sentence + ".")
    return [" ".join(sentences)] if sentences else []


def speed(verb: str, to_verb: str, ratio: float, other: str) -> str:
    """How the speed of one compares with that of another, whichever is the faster.

    Examples
    --------
    >>> speed("trains", "to train", 3.0, "one-vs-rest")
    'trains 3.0 times as fast as one-vs-rest'
    >>> speed("trains", "to train", 0.5, "one-vs-rest")
    'takes 2.0 times as long to train as one-vs-rest'
    """
    if ratio >= 1.05:
        return f"{verb} {ratio:.1f} times as fast as {other}"
    if ratio <= 1 / 1.05:
        return f"takes {1 / ratio:.1f} times as long {to_verb} as {other}"
    return f"{verb} about as fast as {other}"


def law_tables(record: Record) -> list[Table]:
    """The power laws of every series, over rows and over classes."""
    tables = []
    for axis, m in (("rows", "m"), ("classes", "N")):
        rows = []
        for series in all_series():
            laws = [series.law(record, measure) for measure in ("fit", "predict", "memory")]
            if series.axis == axis and any(_tells(law) for law in laws):
                fit, predict, memory = (law if _tells(law) else None for law in laws)
                cells = (
                    [NONE] * 4 if fit is None else [f"{fit.c:.2g}", f"{fit.exponent:.2f}", f"{fit.r2:.3f}", f"{fit.n}"]
                )
                more = [cell for law in (predict, memory) for cell in _exponent_and_r2(law)]
                rows.append([f"{TITLES[series.set]}, {series.who}", *cells, *more])
        head = ["", "fit: c", "exponent", "R²", "points", "predict: exponent", "R²", "memory: exponent", "R²"]
        if rows:
            tables.append(Table(f"By {axis}: T = c·{m}ᵍ", head, rows))
    return tables


def _tells(law: PowerLaw | None) -> bool:
    return law is not None and law.n > 2


def _exponent_and_r2(law: PowerLaw | None) -> list[str]:
    return [NONE, NONE] if law is None else [f"{law.exponent:.2f}", f"{law.r2:.3f}"]


def memory_sentences(record: Record) -> list[str]:
    """The most that any series of ours needed, and whether the goal for many classes holds."""
    sentences = []
    for axis, name in SIZES:
        peaks = []
        for series in family(record, axis, name):
            curve = series.curve(record, "memory")
            if series.who in OURS and curve:
                size = max(curve)
                peaks.append(f"{curve[size]:.0f} MiB at {size} {axis} for {series.who}")
        if peaks:
            sentences.append(f"- {TITLES[name]}: {', '.join(peaks)}.")
    return ["\n".join(sentences), goal(record)] if sentences else [goal(record)]


def goal(record: Record) -> str:
    """Whether the most classes train and predict within the memory that they should."""
    series = Series("classes", "clouds", ONE_VS_ONE)
    size = max(series.sizes)
    machines = size * (size - 1) // 2
    words = f"The goal is that {size} classes of 100 rows, {machines} pairs, train and predict within {GOAL_GIB} GiB"
    entry = series.entries(record).get(size)
    if entry is None or entry["status"] != "done":
        return f"{words}; that point has no figures here."
    whole = (entry["before_mib"] + entry["grew_mib"]) / 1024
    met = "met" if whole <= GOAL_GIB else "not met"
    return (
        f"{words}. It is {met}: the process grew by {entry['fit_grew_mib'] / 1024:.2f} GiB until it was fitted, by "
        f"{entry['grew_mib'] / 1024:.2f} GiB until it had predicted, to {whole:.2f} GiB in all with libraries and data."
    )


def not_run(record: Record) -> list[str]:
    """Points without figures, and why."""
    lines = []
    for series in all_series():
        for size, entry in series.entries(record).items():
            what = f"{TITLES[series.set]}, {series.who}, {size} {series.axis}"
            if entry["status"] == "over":
                lines.append(f"{what}: stopped after {entry['limit']:g} s.")
            elif entry["status"] == "failed":
                lines.append(f"{what}: failed ({entry['why']}).")
            elif entry["status"] == "skipped":
                lines.append(f"{what}: skipped, as {entry['why']}.")
    return lines
