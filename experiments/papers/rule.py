"""The rule by which the claims of all papers are judged: verdicts, thresholds, and the rule in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from hashlib import sha256

from ..statistics import ALPHA, exact_mcnemar


class Verdict(Enum):
    """What can be said of a claim."""

    HELD = "held"
    IN_PART = "held in part"
    NOT_HELD = "not held"
    UNDECIDED = "cannot be decided here"


# Of one set: the claim holds there, does not, differs from seed to seed, or rests on a difference that may be chance.
YES, NO, SEED, CHANCE = "holds for", "not for", "differs with the seed for", "may be chance for"

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
    parts : mapping of str to str
        Of a claim about several sets: YES, NO or CHANCE for each.
    """

    verdict: Verdict
    why: str = ""
    qualified: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)

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
    "Kernel evaluations and sizes this near to the published ones fit a reading of the data; rules whose kernel evaluations "
    "are this near to each other need not be in the same order by time (Platt et al.).",
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
    "A number of machines up to a logarithm that the paper gives and this many more is about that logarithm (Wang et al.).",
    "A tree whose classes are no power of 2 is one level deeper than log₂ n at most.",
)
FEWER_MACHINES = Threshold(
    0.83,
    "as a share",
    "Machines that are at most this share of another method's are significantly fewer (Wang et al.).",
    "The smallest saving that the paper calls significant is 268 of 325.",
)
ABOUT_A_TENTH = Threshold(
    0.05,
    "points",
    "An advantage that may be this large or larger is one of about 0.1 points or more (Wang et al.).",
    "It rounds to 0.1.",
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
    "An exponent less than this far from the whole number that the paper names is about that number (Platt et al.).",
    "The paper names whole numbers only: 2 for samples, 1 and 0 for classes.",
)
SIMILAR_ADVANTAGE = Threshold(
    2.0,
    "as a factor",
    "Advantages in training time that differ by at most this factor are similar (Platt et al.).",
    "The published advantages that the paper calls similar differ by up to 1.8.",
)
GREAT_SAVING = Threshold(
    2.0,
    "as a factor",
    "A size that is at least this many times smaller is a great saving (Platt et al.).",
    "Then more is saved than is kept.",
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
RARE = Threshold(
    ALPHA,
    "of the runs",
    "What the paper observes in one run, or calls certain, holds on a set if at most this share of our runs fail to show it "
    "(Yu et al.).",
    "The level of the tests.",
)
THRESHOLDS = (
    CLOSE,
    CLOSE_COUNTS,
    SHARE_OF_VECTORS,
    ABOUT_LOG,
    FEWER_MACHINES,
    ABOUT_A_TENTH,
    SIMILAR_SIGMA,
    SIMILAR_C,
    COMPARABLE_SIZE,
    NEAR_EXPONENT,
    SIMILAR_ADVANTAGE,
    GREAT_SAVING,
    LINEAR,
    STEP,
    TWICE,
    ENOUGH_ROWS,
    RARE,
)

# ------------------------------------------------------------------- in words

RULE = (
    "A claim says what the paper says, no more and no less, in our words, and names the section of the paper.",
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
    "Times have two readings: a loop over machines as the authors ran it, which decides, and one bank of machines, whose "
    "verdict stands beside it.",
    "The number of support vectors depends on where the solver stops. It is counted at several values of its tolerance, and "
    "nothing is concluded from differences that are smaller than the spread of these counts.",
    "Machines that did not converge qualify a verdict.",
    "Everything is run with two seeds. A verdict that differs between them becomes: cannot be decided here. The figures on the "
    "pages are those of the first seed.",
    "Numbers that the paper does not give and that decide a verdict are in the table of thresholds.",
    "The verdicts are: held; held in part, with the list; not held; cannot be decided here, with the reason.",
)


def digest() -> str:
    """The rule and its thresholds as one number, which records carry.

    Examples
    --------
    >>> from experiments.papers.rule import digest
    >>> len(digest())
    64
    """
    return sha256("\n".join([*RULE, *map(repr, THRESHOLDS)]).encode()).hexdigest()


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
    return _of_parts({name: YES if held else NO for name, held in parts.items()})


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
    parts = {name: CHANCE if p >= ALPHA or gain == 0 else YES if gain > 0 else NO for name, (gain, p) in tests.items()}
    if not tests:
        return undecided("no set can show it")
    if set(parts.values()) == {CHANCE}:
        reason = ", ".join(f"{name} p = {p:.2g}" for name, (_, p) in tests.items())
        return Judgement(Verdict.UNDECIDED, f"the difference may be chance ({reason})", parts=parts)
    return _of_parts(parts)


def _of_parts(parts: Mapping[str, str]) -> Judgement:
    """Held if it holds on all sets, in part if on some, else not held."""
    kinds = set(parts.values())
    if YES not in kinds:
        return Judgement(Verdict.NOT_HELD, parts=parts)
    if kinds == {YES}:
        return Judgement(Verdict.HELD, parts=parts)
    lists = {kind: [name for name, of in parts.items() if of == kind] for kind in (YES, NO, SEED, CHANCE)}
    words = "; ".join(f"{kind} {listed(names)}" for kind, names in lists.items() if names)
    return Judgement(Verdict.IN_PART, words, parts=parts)


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


def judge_seeds(judgements: Mapping[int, Judgement]) -> Judgement:
    """The judgement of one claim over several seeds.

    Parameters
    ----------
    judgements : mapping of int to Judgement
        By seed.

    Returns
    -------
    Judgement
        That of the first seed, if all have its verdict. Sets that differ between seeds are named. A verdict that differs
        between seeds cannot be decided.

    Examples
    --------
    >>> from experiments.papers.rule import decided, judge_parts, judge_seeds
    >>> print(judge_seeds({0: decided(True), 1: decided(False)}))
    cannot be decided here: the seed decides (held with seed 0, not held with seed 1)
    >>> first = judge_parts({"a": True, "b": True, "c": False})
    >>> second = judge_parts({"a": True, "b": False, "c": False})
    >>> print(judge_seeds({0: first, 1: second}))
    held in part: holds for a; not for c; differs with the seed for b
    """
    of = list(judgements.values())
    qualified = "; ".join(dict.fromkeys(one.qualified for one in of if one.qualified))
    first = replace(of[0], qualified=qualified)
    if len({one.verdict for one in of}) > 1:
        told = ", ".join(f"{one.verdict.value} with seed {seed}" for seed, one in judgements.items())
        return Judgement(Verdict.UNDECIDED, f"the seed decides ({told})", qualified)
    if first.verdict is not Verdict.IN_PART or not first.parts or all(one.parts == first.parts for one in of):
        return first
    parts = {
        name: kind if all(one.parts.get(name) == kind for one in of) else SEED for name, kind in first.parts.items()
    }
    if YES not in parts.values():
        return Judgement(Verdict.UNDECIDED, "the seed decides on which sets it holds", qualified, parts)
    return replace(_of_parts(parts), qualified=qualified)
