"""The figures that the README and the pages of the documentation take from the results of benchmarks.

`QUOTES` lists every such sentence with its holes. A test compares each with the results, and that no other number with a
unit stands on those pages, unless `BY_HAND` says where it comes from. ``make figures`` writes the figures into the pages, and
the `blocks` of those that have any.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..exceptions import DataError
from .blocks import BLOCKS, block_spans, with_blocks
from .figures import figures

ROOT = Path(__file__).resolve().parents[2]

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
    for template in QUOTES.get(page, ()):
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
    for template in QUOTES.get(page, ()):
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
    spans = [*block_spans(page, text).values()] if page in BLOCKS else []
    spans += [(h.begin, h.end) for template in QUOTES.get(page, ()) for h in holes(template, text)]
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
    for page in dict.fromkeys((*QUOTES, *BLOCKS)):
        text = (root / page).read_text(encoding="utf-8")
        new = with_blocks(page, written(page, text, known))
        if new != text:
            (root / page).write_text(new, encoding="utf-8")
            changed.append(page)
    return changed


def _hole(name: str) -> str:
    return r"([^|()]+?)" if name.endswith(".least_of") else _NUMBER


if __name__ == "__main__":
    print("\n".join(write_pages()) or "no figure changed")
