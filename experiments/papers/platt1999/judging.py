"""How the claims of this paper are judged by the rule: parts by set, ratios with a spread, and numbers in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ..report import Claim
from ..rule import CHANCE, Judgement, Verdict, judge_better, judge_parts
from .published import NAMES
from .results import Results
from .spans import Span

Judged = tuple[Judgement, str]
Inside = Callable[[float], bool]
SMOOTHED = "USPS smoothed"  # a second reading of the images


def by_images(results: Results, judge: Callable[[Results, bool], Judged], says: str, name: str) -> Claim:
    """A claim on USPS images as they are distributed; beside it, what smoothed images give."""
    (judgement, shown), (other, _) = judge(results, False), judge(results, True)
    return Claim(says, judgement, shown, name, "Section 5", {SMOOTHED: brief(other, judgement)})


def of_sets(parts: Mapping[str, bool]) -> Judgement:
    """A claim about the data sets."""
    return judge_parts({NAMES.get(data, data): held for data, held in parts.items()})


def of_spans(spans: Mapping[str, Span], inside: Inside | Mapping[str, Inside], spread: str) -> Judgement:
    """A claim that a number of each set is inside some range.

    Parameters
    ----------
    spans : mapping of str to Span
        By set.
    inside : callable, or mapping of str to callable
        Whether a number is in the range; one for all sets, or one for each.
    spread : str
        What makes the spread of the numbers, in words.

    Returns
    -------
    Judgement
        A set holds where the whole spread is inside, and does not where none of it is; else chance decides.

    Examples
    --------
    >>> from experiments.papers.platt1999.judging import of_spans
    >>> from experiments.papers.platt1999.spans import Span
    >>> spans = {"usps": Span(3.0, 2.8, 3.1), "letter": Span(2.1, 1.9, 2.2)}
    >>> print(of_spans(spans, lambda ratio: ratio >= 2, "rounds"))
    held in part: holds for USPS; may be chance for Letter
    """
    tests = {}
    for data, span in spans.items():
        holds = inside[data] if isinstance(inside, Mapping) else inside
        ends = [holds(number) for number in (span.low, span.value, span.high)]
        tests[NAMES.get(data, data)] = (1.0 if all(ends) else -1.0, 0.0 if all(ends) or not any(ends) else 1.0)
    judgement = judge_better(tests)
    if set(judgement.parts.values()) == {CHANCE}:
        return replace(judgement, why=f"the spread of {spread} is larger than the difference")
    return judgement


def per_set(values: Mapping[str, Span | float], digits: int = 2) -> str:
    """Numbers of data sets, in words."""
    spans = {data: v if isinstance(v, Span) else Span(v, v, v) for data, v in values.items()}
    return ", ".join(f"{NAMES.get(data, data)} {span.words(digits)}" for data, span in spans.items())


def brief(other: Judgement, main: Judgement) -> Judgement:
    """The judgement of another reading, without a reason that stands beside the claim already."""
    if other.verdict is Verdict.UNDECIDED or (other.verdict, other.parts) == (main.verdict, main.parts):
        return replace(other, why="", qualified="")
    return other
