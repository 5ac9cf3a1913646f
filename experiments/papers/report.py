"""What a study says in the end: tables, claims and pictures, and how they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from ..pictures import Picture
from ..tables import NONE, Table
from . import rule

CLOSE = rule.CLOSE.value  # percentage points


@dataclass(frozen=True)
class Claim:
    """What a paper claims, or what we ask ourselves, and whether it held.

    Attributes
    ----------
    says : str
        The claim, in one sentence.
    judgement : Judgement
        By the rule of all papers, see `rule`.
    shown : str
        The numbers that show it.
    name : str
        The claim in a few words, for the index.
    where : str
        Where the paper says it, such as "Section 4.1"; empty if the claim is our own.
    others : mapping of str to Judgement
        Verdicts of other readings, such as another share of rows to train on. They decide nothing.
    """

    says: str
    judgement: rule.Judgement
    shown: str
    name: str = ""
    where: str = ""
    others: Mapping[str, rule.Judgement] = field(default_factory=dict)

    @property
    def verdict(self) -> rule.Verdict:
        """In a word."""
        return self.judgement.verdict

    @property
    def anchor(self) -> str:
        """Of its row on the page."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")

    def row(self) -> list[str]:
        """Its row on a page."""
        others = "".join(f". {name}: {judgement}" for name, judgement in self.others.items())
        return [f'<a id="{self.anchor}"></a>{self.says}', self.where, f"{self.judgement}{others}", self.shown]


class Kind(Enum):
    """Which of the published errors one is. Only those of the first kind count as published and measured again."""

    REAL = "real data, by the printed protocol"
    GENERATED = "generated data, which the paper does not give"
    READING = "second readings of a set"


@dataclass(frozen=True)
class ErrorRate:
    """A published error rate and ours, in percent.

    Attributes
    ----------
    data, method : str
    published : float
    measured : float or None
        None if it was not run.
    kind : Kind
    """

    data: str
    method: str
    published: float
    measured: float | None
    kind: Kind = Kind.REAL

    @property
    def is_close(self) -> bool:
        """Whether they are within half a point."""
        return self.measured is not None and abs(self.measured - self.published) <= CLOSE + 1e-9


@dataclass(frozen=True)
class Omission:
    """What the paper prints and this run does not measure.

    Attributes
    ----------
    what : str
    published : str
        The numbers, as a `Printed` cell if the paper prints any.
    reason : str
    """

    what: str
    published: str
    reason: str


@dataclass(frozen=True)
class Sourced:
    """A table, and the steps of the record that its measured numbers come from."""

    table: Table
    steps: str


@dataclass(frozen=True)
class Section:
    """A heading, and paragraphs, tables and pictures below it."""

    title: str
    body: Sequence[str | Sourced | Picture]


Body = Sequence[Section]


@dataclass(frozen=True)
class Report:
    """All that is said of one paper.

    Attributes
    ----------
    name, title, reference : str
    sections : sequence of Section
        Every table and figure of the paper, published and measured.
    claims : sequence of Claim
        Of the paper.
    errors : sequence of ErrorRate
        Every published error rate, with the one measured by the same protocol.
    outcome : str
        What came out, for a reader who has one minute.
    protocol : sequence of str
        Paragraphs: what the paper says of its protocol, what it does not say, and what was done.
    omissions : sequence of Omission
    own_claims : sequence of Claim
        Questions of our own; they go to the page of our findings, with `findings`.
    findings : sequence of Section
        What the papers do not ask.
    readings : sequence of Section
        Other readings of the protocol or the data; they go to the appendix.
    finding : str
        What came out, as the end of a sentence that begins with the verdicts: for the index and README.
    """

    name: str
    title: str
    reference: str
    sections: Body
    claims: Sequence[Claim]
    errors: Sequence[ErrorRate]
    outcome: str = ""
    protocol: Sequence[str] = ()
    omissions: Sequence[Omission] = ()
    own_claims: Sequence[Claim] = ()
    findings: Body = ()
    readings: Body = ()
    finding: str = ""

    @property
    def pictures(self) -> Iterator[Picture]:
        """All pictures, in order."""
        every = (*self.sections, *self.findings, *self.readings)
        return (part for section in every for part in section.body if isinstance(part, Picture))

    def markdown(self, folder: str = "") -> str:
        """The page of the paper, without findings and readings.

        Parameters
        ----------
        folder : str
            Where the pictures and the records are, as seen from the page.
        """
        parts = [f"# {self.title}", self.reference]
        if self.outcome:
            parts += [f"**In one minute.** {self.outcome}"]
        if self.protocol:
            parts += ["## Protocol", *self.protocol]
        parts += [*claims_section("Claims", self.claims), *body(self.sections, self.name, folder)]
        if self.omissions:
            parts += ["## Printed, and not measured here", self.omitted().markdown()]
        return "\n\n".join(parts)

    def omitted(self) -> Table:
        """What the paper prints and this run does not measure."""
        rows = [[one.what, one.published, one.reason] for one in self.omissions]
        return Table("Omissions", ["what", "published", "reason"], rows, words=True)

    def tables(self) -> Iterator[Table]:
        """All tables of the page of the paper."""
        yield from tables_of(self.sections)
        if self.omissions:
            yield self.omitted()


def tables_of(sections: Body) -> Iterator[Table]:
    """All tables of sections, in order."""
    return (part.table for section in sections for part in section.body if isinstance(part, Sourced))


def claims_section(title: str, claims: Sequence[Claim]) -> Iterator[str]:
    """A heading, and claims with their verdicts; nothing if there are none."""
    if claims:
        yield f"## {title}"
        head, rows = ["claim", "where", "verdict", "measured"], [claim.row() for claim in claims]
        if not any(claim.where for claim in claims):  # they are our own
            head, rows = [head[0], *head[2:]], [[row[0], *row[2:]] for row in rows]
        yield Table("", head, rows, words=True).markdown()


def body(sections: Body, name: str, folder: str = "", heading: str = "##") -> Iterator[str]:
    """Sections as text.

    Parameters
    ----------
    sections : sequence of Section
    name : str
        Of the paper whose record they come from.
    folder : str
        Where its pictures and records are, as seen from the page.
    heading : str
        The mark before a title.
    """
    for section in sections:
        yield f"{heading} {section.title}"
        for part in section.body:
            if isinstance(part, str):
                yield part
            elif isinstance(part, Sourced):
                yield part.table.markdown()
                yield f"*Record of {name}, {part.steps}*"
            else:
                yield f"![{part.caption}]({folder}{name}-{part.name}.png)"
                yield f"*{part.caption}*"


def number(value: float | None, digits: int = 2) -> str:
    """A number for a cell, or a dash if there is none."""
    return NONE if value is None else f"{value:.{digits}f}"
