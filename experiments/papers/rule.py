"""The rule by which the claims of all papers are judged: verdicts, thresholds, and the rule in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from ..statistics import ALPHA, exact_mcnemar


class Verdict(Enum):
    """What can be said of a claim."""

    HELD = "held"
    IN_PART = "held in part"
    NOT_HELD = "not held"
    UNDECIDED = "cannot be decided here"


# Of statements that must hold together, the one whose verdict is last here decides.
BY_WEIGHT = (Verdict.HELD, Verdict.IN_PART, Verdict.UNDECIDED, Verdict.NOT_HELD)


@dataclass(frozen=True)
class Judgement:
    """A verdict, and what must be said with it.

    Attributes
    ----------
    verdict : Verdict
    why : str
        What held and what did not, if it held in part; the reason, if it cannot be decided.
    qualified : str
        What limits the verdict, such as machines that did not converge.
    """

    verdict: Verdict
    why: str = ""
    qualified: str = ""

    def __str__(self) -> str:
        words = f"{self.verdict.value}: {self.why}" if self.why else self.verdict.value
        return f"{words} ({self.qualified})" if self.qualified else words


# ----------------------------------------------------------------- thresholds


@dataclass(frozen=True)
class Threshold:
    """A number that a claim is judged by and that the paper does not give.

    Attributes
    ----------
    value : float
    unit : str
    used : str
        What it decides.
    reason : str
        Why this number.
    """

    value: float
    unit: str
    used: str
    reason: str


CLOSE = Threshold(
    0.5,
    "points",
    "Error rates this near to each other are called close; a method this little behind another performs as well.",
    "About two standard errors of an error rate of 2 or 3 % on 4000 test rows, as of Letter.",
)
CLOSE_COUNTS = Threshold(
    0.05,
    "as a share",
    "Kernel evaluations and sizes this near to the published ones fit a reading of the data (Platt et al.).",
    "A convention: the paper does not say how near is near.",
)
SHARE_OF_VECTORS = Threshold(
    5.0,
    "points",
    "A share of vectors at most this far above a published one agrees with it (Wang et al.).",
    "A convention: the published shares of single sets are up to 15 points away from these averages.",
)
ABOUT_LOG = Threshold(
    1.0,
    "machines",
    "A number of machines up to log₂ n and this many more is about log₂ n (Wang et al.).",
    "A tree whose classes are no power of 2 is one level deeper than log₂ n at most.",
)
SIMILAR_SIGMA = Threshold(
    1.5,
    "as a factor",
    "Values of σ that differ by less are similar (Platt et al.).",
    "The published values that the paper calls very similar differ by up to the square root of 2.",
)
SIMILAR_C = Threshold(
    11.0,
    "as a factor",
    "Values of C that differ by less are similar (Platt et al.).",
    "The published values that the paper calls very similar differ by up to 10.",
)
COMPARABLE_SIZE = Threshold(
    2.0,
    "as a factor",
    "Sizes that differ by at most this factor are comparable (Platt et al.).",
    "The published sizes that the paper calls comparable differ by up to 1.6.",
)
NEAR_EXPONENT = Threshold(
    0.5,
    "in the exponent",
    "An exponent less than this far from 2 is about 2 (Platt et al.).",
    "The paper prints the exponent as a whole number.",
)
LINEAR = Threshold(
    0.95,
    "of the variance",
    "A curve of which a straight line explains at least this share grows almost linearly (Don & Iacob).",
    "A convention: the paper judges by the eye.",
)
STEP = Threshold(
    50.0,
    "percent of the rise",
    "A curve with at least this part of its rise in a narrow range has a step there (Don & Iacob).",
    "Then the range has more of the rise than all the rest of the curve.",
)
TWICE = Threshold(
    2.5,
    "as a factor",
    "Less than this many times as long is only twice as long (Platt et al.).",
    "It rounds to 2 or less.",
)
ENOUGH_ROWS = Threshold(
    0.5,
    "of the rows",
    "A part of a set that is smaller than this cannot refute what the paper says of the curve of the whole (Don & Iacob).",
    "The steps of a curve over θ are as wide as a row of a class.",
)
THRESHOLDS = (
    CLOSE,
    CLOSE_COUNTS,
    SHARE_OF_VECTORS,
    ABOUT_LOG,
    SIMILAR_SIGMA,
    SIMILAR_C,
    COMPARABLE_SIZE,
    NEAR_EXPONENT,
    LINEAR,
    STEP,
    TWICE,
    ENOUGH_ROWS,
)

# ------------------------------------------------------------------- in words

RULE = (
    "A claim says what the paper says, no more and no less, in our words.",
    "The printed protocol decides. Other readings of it are shown, but they do not change a verdict.",
    "Comparisons over trials are paired and corrected for overlapping training sets (Nadeau and Bengio's t-test). "
    "Comparisons on one test set are McNemar's exact test. A claim about several sets is corrected for their number (Holm). "
    "A claim about an average over test sets is McNemar's exact test over the answers on all of them together. "
    f"A claim about what happens in general is a sign test over the sets. The level is always {ALPHA:g}.",
    "Better and worse are kept apart. A claim that a method is better, or at least as good, is held where it is better beyond "
    "chance, not held where it is worse beyond chance, and cannot be decided where the difference may be chance. To exceed a "
    "published advantage is no failure.",
    "A claim about several sets that holds on some of them is held in part, and the verdict lists them. A claim that there is "
    "no difference is not held if there is one: a test that finds nothing on the other sets is no evidence for them.",
    "Times have two readings where both were measured: a loop as the authors ran it, and one bank of machines. Each has its "
    "own verdict.",
    "Machines that did not converge qualify a verdict.",
    "Numbers that the paper does not give and that decide a verdict are in the table of thresholds.",
    "The verdicts are: held; held in part, with the list; not held; cannot be decided here, with the reason.",
)

# ------------------------------------------------------------------ judgements


def listed(names: Iterable[str]) -> str:
    """Names in words, each once; "none" if there are none."""
    return ", ".join(dict.fromkeys(names)) or "none"


def decided(held: bool) -> Judgement:
    """A claim that is one statement."""
    return Judgement(Verdict.HELD if held else Verdict.NOT_HELD)


def undecided(reason: str) -> Judgement:
    """A claim that this run cannot decide."""
    return Judgement(Verdict.UNDECIDED, reason)


def judge_parts(parts: Mapping[str, bool]) -> Judgement:
    """A claim about several sets, or of several statements.

    Parameters
    ----------
    parts : mapping of str to bool
        Whether it holds, by set or statement.

    Returns
    -------
    Judgement
        Undecided if there is no part.

    Examples
    --------
    >>> from experiments.papers.rule import judge_parts
    >>> print(judge_parts({"iris": True, "glass": False}))
    held in part: holds for iris; not for glass
    """
    if not parts:
        return undecided("no set can show it")
    yes, no = ([name for name, held in parts.items() if held is kind] for kind in (True, False))
    if yes and no:
        return Judgement(Verdict.IN_PART, f"holds for {listed(yes)}; not for {listed(no)}")
    return decided(not no)


def judge_none(exceptions: Sequence[str]) -> Judgement:
    """A claim that there is no difference, or none in one direction: one exception is enough."""
    return decided(not exceptions)


def judge_better(tests: Mapping[str, tuple[float, float]]) -> Judgement:
    """A claim that one method is better than another, or at least as good.

    Parameters
    ----------
    tests : mapping of str to (float, float)
        By set: how much better it is, and the p-value of the difference, adjusted for the number of sets.

    Returns
    -------
    Judgement
        Held where it is better beyond chance on all sets, not held where it is better on none and worse on some, and
        undecided where all differences may be chance.

    Examples
    --------
    >>> from experiments.papers.rule import judge_better
    >>> print(judge_better({"letter": (0.3, 0.001)}))
    held
    >>> print(judge_better({"letter": (0.3, 0.001), "iris": (0.7, 0.4), "usps": (-0.5, 0.01)}))
    held in part: holds for letter; not for usps; may be chance for iris
    >>> print(judge_better({"iris": (0.7, 0.4)}))
    cannot be decided here: the difference may be chance (iris p = 0.4)
    """
    better = [name for name, (gain, p) in tests.items() if p < ALPHA and gain > 0]
    worse = [name for name, (gain, p) in tests.items() if p < ALPHA and gain < 0]
    chance = [name for name in tests if name not in (*better, *worse)]
    if better and (worse or chance):
        words = [f"holds for {listed(better)}"]
        words += [f"not for {listed(worse)}"] if worse else []
        words += [f"may be chance for {listed(chance)}"] if chance else []
        return Judgement(Verdict.IN_PART, "; ".join(words))
    if better or worse:
        return decided(not worse)
    if not tests:
        return undecided("no set can show it")
    return undecided(
        f"the difference may be chance ({', '.join(f'{name} p = {tests[name][1]:.2g}' for name in tests)})"
    )


def judge_trend(with_it: int, against_it: int) -> Judgement:
    """A claim about what happens in general: a sign test over the sets.

    Parameters
    ----------
    with_it, against_it : int
        Sets on which a figure moves as the claim says, and the other way.

    Returns
    -------
    Judgement
        Held if significant in the direction of the claim; undecided if most sets move that way and it may be chance.

    Examples
    --------
    >>> from experiments.papers.rule import judge_trend
    >>> print(judge_trend(7, 0))
    held
    >>> print(judge_trend(3, 1))
    cannot be decided here: 3 sets for it and 1 against it may be chance (p = 0.62)
    """
    p = exact_mcnemar(with_it, against_it).p_value
    if with_it <= against_it or p < ALPHA:
        return decided(with_it > against_it)
    return undecided(f"{with_it} sets for it and {against_it} against it may be chance (p = {p:.2g})")
