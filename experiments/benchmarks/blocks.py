"""The parts of pages that are written whole from records: tables of benchmarks whose records need not be there.

A block stands between two comments, and is empty where its record is missing. ``make figures`` writes all of them, and a
test compares them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from ..environment import processor
from ..exceptions import DataError
from ..records import read_json
from ..tables import NONE, Table
from . import calls, kernels
from .command import AVX2, RESULTS
from .figures import figures_of_avx2, one

END = "<!-- end -->"
SETS = {"letter": "Letter", "pendigits": "Pendigits", "usps": "USPS"}
GROUPS = {"large": "census: dense, 1000 rows and more", "small": "census: dense, fewer rows", "text": "census: text"}
STATES = {  # the pages in docs/measured.md, in its order, and the records that have no page of their own
    "bench": "[Benchmarks](../experiments/benchmarks/results/bench.md)",
    "census": "[Census](../experiments/benchmarks/results/census.md)",
    "calls": "[Kinds of call](../experiments/benchmarks/results/calls.md)",
    "avx2/bench": "[Benchmarks, with AVX2](../experiments/benchmarks/results/avx2/bench.md)",
    "avx2/census": "[Census, with AVX2](../experiments/benchmarks/results/avx2/census.md)",
    "avx2/calls": "[Kinds of call, with AVX2](../experiments/benchmarks/results/avx2/calls.md)",
    "mnist": "[MNIST](../experiments/benchmarks/results/mnist.md)",
    "covertype": "[Covertype](../experiments/benchmarks/results/covertype.md)",
    "tuning": "[Tuning](../experiments/benchmarks/results/tuning.md)",
    "adaptive": "[Adaptive search](../experiments/benchmarks/results/adaptive.md)",
    "default_grid": "[Default grid](../experiments/benchmarks/results/default_grid.md)",
    "probability": "[Probabilities](../experiments/benchmarks/results/probability.md)",
    "sparse": "[Sparse rows](../experiments/benchmarks/results/sparse.md)",
    "fingerprints": "[Fingerprints](../experiments/benchmarks/results/fingerprints.md)",
    "kernels": "[The Laplacian kernel](../experiments/benchmarks/results/kernels.md)",
    "structures": "[Structures](structures.md)",
    "scaling": "[How time and memory grow](scaling.md)",
}


def avx2(folder: Path) -> str:
    """The headlines and the census with AVX2, each with its times and its worst."""
    if not all((folder / AVX2 / f"{name}.json").exists() for name in ("bench", "census")):
        return ""
    known = figures_of_avx2(folder / AVX2)
    rows = []
    for key, name in SETS.items():
        if f"{key}.fit.s" not in known:  # a run that was stopped
            continue
        fit, predict = (
            f"{known[f'{key}.{what}.s']} s, {known[f'{key}.{what}.times']} ×" for what in ("fit", "max_wins")
        )
        rows.append([name, fit, predict])
    for key, name in GROUPS.items():
        if f"{key}.fit.mean" not in known:
            continue
        cells = [
            f"{known[f'{key}.{what}.mean']} ×, worst {known[f'{key}.{what}.least']} ×" for what in ("fit", "predict")
        ]
        rows.append([name, *cells])
    where = processor(read_json(folder / AVX2 / "bench.json")["environment"])
    begin = (
        "The same without AVX-512 (`DAGMAR_SIMD=avx2`, which limits Dagmar alone; the other libraries use all that the "
        f"processor has). {where}:"
    )
    head = ["with AVX2", "fit", 'predict, `"max_wins"`']
    return f"{begin}\n\n{Table('', head, rows, words=True).markdown()}"


def kinds_of_call(folder: Path) -> str:
    """Mean and worst of every kind of call; beside them the means with AVX2, where they are known."""
    if not (folder / "calls.json").exists():
        return ""
    report, other = read_json(folder / "calls.json"), folder / AVX2 / "calls.json"
    mean_and_worst = _cells(report["kinds"], "{mean} ×, {least} ×")
    means = _cells(read_json(other)["kinds"], "{mean} ×") if other.exists() else {}
    timed = tuple(calls.WORDS.values())
    head = ["kind of call", "sets", *(f"{what}: mean, worst" for what in timed)]
    if means:
        head += [f"AVX2, {what}: mean" for what in timed]
    rows = []
    for kind, results in report["kinds"].items():
        row = [kind, str(len(results)), *(mean_and_worst.get((kind, what), NONE) for what in timed)]
        rows.append(row + ([means.get((kind, what), NONE) for what in timed] if means else []))
    where = f"{processor(report['environment'])}, {report['threads']} threads"
    page = "[calls.md](../experiments/benchmarks/results/calls.md)"
    return (
        f"Times as fast as the faster of scikit-learn and scikit-learn-intelex on each set; *mean* is geometric. {where}. "
        f"{page} has every set, the goals, and which set is the worst.\n\n{Table('', head, rows).markdown()}"
    )


def laplacian(folder: Path) -> str:
    """Mean and worst of the Laplacian kernel on all sets."""
    if not (folder / "kernels.json").exists():
        return ""
    report = read_json(folder / "kernels.json")
    rows = [
        [what, str(len(ratios)), f"{one(geometric_mean(ratios.values()))} ×", f"{one(min(ratios.values()))} ×"]
        for what, ratios in kernels.columns(report["sets"]).items()
    ]
    where = f"{processor(report['environment'])}, {report['threads']} threads"
    return (
        '`kernel="laplacian"` against scikit-learn\'s `laplacian_kernel`, as a function or as a matrix, whichever is faster, '
        f"and against our rbf kernel on ranks. {where}; "
        f"[kernels.md](../experiments/benchmarks/results/kernels.md) has every set.\n\n"
        f"{Table('', ['laplacian kernel', 'runs', 'mean', 'worst'], rows).markdown()}"
    )


def states(folder: Path) -> str:
    """Of which sources, when and where every record was measured."""
    rows = []
    for name, title in STATES.items():
        file = folder / f"{name}.json"
        if not file.exists():
            continue
        report = read_json(file)
        source = report.get("source") or {}
        commit, digest = source.get("commit"), source.get("digest")
        cells = [f"`{text[:12]}`" if text else NONE for text in (commit, digest)]
        rows.append([title, *cells, source.get("date", "older"), processor(report["environment"])])
    head = ["record", "commit", "digest of `src` and `cpp`", "UTC", "processor, cores, instructions"]
    return Table("", head, rows, words=True).markdown()


BLOCKS: dict[str, dict[str, Callable[[Path], str]]] = {
    "README.md": {"avx2": avx2},
    "docs/benchmarks.md": {"avx2": avx2, "calls": kinds_of_call, "laplacian": laplacian},
    "docs/measured.md": {"states": states},
}


def block_spans(page: str, text: str) -> dict[str, tuple[int, int]]:
    """Where the blocks of a page stand, without their comments.

    Parameters
    ----------
    page : str
        Its path in the repository.
    text : str
    """
    found = {}
    for name in BLOCKS.get(page, {}):
        begin = f"<!-- {name}, written by make figures -->"
        if begin in text:
            at = text.index(begin) + len(begin)
            found[name] = (at, text.index(END, at))
    return found


def with_blocks(page: str, text: str, folder: Path = RESULTS) -> str:
    """A page whose blocks say what the records have.

    Parameters
    ----------
    page : str
        Its path in the repository.
    text : str
    folder : Path
        Of the records.

    Raises
    ------
    DataError
        A block of the list is not on the page.
    """
    spans = block_spans(page, text)
    if missing := BLOCKS.get(page, {}).keys() - spans.keys():
        raise DataError(f"{page} has no comments for: {', '.join(sorted(missing))}")
    for name, (begin, end) in sorted(spans.items(), key=lambda item: -item[1][0]):
        content = BLOCKS[page][name](folder)
        text = text[:begin] + (f"\n\n{content}\n\n" if content else "\n") + text[end:]
    return text


def _cells(kinds: dict[str, Any], form: str) -> dict[tuple[str, str], str]:
    return {
        (line["kind"], line["what"]): form.format(mean=one(line["mean"]), least=one(line["least"]))
        for line in calls.summary(kinds)
    }
