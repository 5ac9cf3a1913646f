"""What a study says in the end: tables, claims and pictures, and how they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..environment import processor, software
from ..tables import NONE, Table
from . import rule

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLOSE = rule.CLOSE.value  # percentage points


@dataclass(frozen=True)
class Claim:
    """What a paper claims, and whether it held.

    Attributes
    ----------
    says : str
        The claim, in one sentence.
    judgement : Judgement
        By the rule of all papers, see `rule`.
    shown : str
        The numbers that show it.
    """

    says: str
    judgement: rule.Judgement
    shown: str

    @property
    def verdict(self) -> rule.Verdict:
        """In a word."""
        return self.judgement.verdict


@dataclass(frozen=True)
class ErrorRate:
    """A published error rate and ours, in percent.

    Attributes
    ----------
    data, method : str
    published, measured : float
    reason : str
        Why they differ, if they do by more than half a point: what an experiment in the report showed.
    """

    data: str
    method: str
    published: float
    measured: float
    reason: str = ""

    @property
    def apart(self) -> float:
        """Measured less published, in points."""
        return self.measured - self.published

    @property
    def is_close(self) -> bool:
        """Whether they are within half a point."""
        return abs(self.apart) <= CLOSE + 1e-9


@dataclass(frozen=True)
class Sourced:
    """A table, and the steps of the record that its measured numbers come from."""

    table: Table
    steps: str


@dataclass(frozen=True)
class Picture:
    """A figure: `draw` puts it into an empty matplotlib Figure.

    Attributes
    ----------
    name : str
        Of the file, after the paper's name.
    caption : str
    draw : callable
    size : tuple of float
        Width and height, in inches.
    """

    name: str
    caption: str
    draw: Callable[[Figure], None]
    size: tuple[float, float] = (8.0, 4.5)


@dataclass(frozen=True)
class Section:
    """A heading, and paragraphs, tables and pictures below it."""

    title: str
    body: Sequence[str | Sourced | Picture]


@dataclass(frozen=True)
class Report:
    """All that is said of one paper.

    Attributes
    ----------
    name, title, reference : str
    sections : sequence of Section
    claims : sequence of Claim
    errors : sequence of ErrorRate
        Every published error rate with the one measured by the same protocol.
    """

    name: str
    title: str
    reference: str
    sections: Sequence[Section]
    claims: Sequence[Claim]
    errors: Sequence[ErrorRate]

    @property
    def pictures(self) -> Iterator[Picture]:
        """All pictures, in order."""
        return (part for section in self.sections for part in section.body if isinstance(part, Picture))

    def markdown(self, folder: str = "") -> str:
        """The report as text.

        Parameters
        ----------
        folder : str
            Where the pictures and the record are, as seen from the text.
        """
        return "\n\n".join([f"## {self.title}", self.reference, *self._claims(), *self._body(folder), *self._errors()])

    def _claims(self) -> Iterator[str]:
        rows = [[claim.says, str(claim.judgement), claim.shown] for claim in self.claims]
        if rows:
            yield left(Table("Claims", ["the paper says", "verdict", "measured"], rows))

    def _errors(self) -> Iterator[str]:
        if self.errors:
            yield "### Errors, published and measured"
            yield errors_table([("", error) for error in self.errors])

    def _body(self, folder: str) -> Iterator[str]:
        for section in self.sections:
            yield f"### {section.title}"
            for part in section.body:
                if isinstance(part, str):
                    yield part
                elif isinstance(part, Sourced):
                    yield part.table.markdown()
                    yield f"*{record_link(self.name, folder)}, {part.steps}*"
                else:
                    yield f"![{part.caption}]({folder}{self.name}-{part.name}.png)"
                    yield f"*{part.caption}*"


def left(table: Table) -> str:
    """A table of words: all columns read from the left."""
    return table.markdown().replace("---:", "---", len(table.head))


def errors_table(errors: Sequence[tuple[str, ErrorRate]]) -> str:
    """Published and measured error rates, as Markdown.

    Parameters
    ----------
    errors : sequence of (str, ErrorRate)
        With the paper of each; the column is left out where no paper is named.
    """
    rows = [
        [paper, e.data, e.method, f"{e.published:.2f}", f"{e.measured:.2f}", f"{e.apart:+.2f}", _closeness(e)]
        for paper, e in errors
    ]
    head = ["paper", "data", "method", "published error %", "measured error %", "apart, points"]
    head += [f"within {CLOSE:g} points"]
    if not any(paper for paper, _ in errors):
        head, rows = head[1:], [row[1:] for row in rows]
    close = sum(e.is_close for _, e in errors)
    return Table(
        f"{close} of {len(errors)} errors are within {CLOSE:g} points of the published ones", head, rows
    ).markdown()


def _closeness(error: ErrorRate) -> str:
    return "yes" if error.is_close else f"no: {error.reason}" if error.reason else "no"


def record_link(name: str, folder: str = "") -> str:
    """Where measured numbers come from, as a link."""
    return f"[{name}.json]({folder}{name}.json)"


def number(value: float | None, digits: int = 2) -> str:
    """A number for a cell, or a dash if there is none."""
    return NONE if value is None else f"{value:.{digits}f}"


def draw(report: Report, folder: Path) -> list[Path]:
    """Write the pictures of a report as PNG files.

    Parameters
    ----------
    report : Report
    folder : Path

    Returns
    -------
    list of Path

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    from matplotlib.figure import Figure

    files = []
    for picture in report.pictures:
        figure = Figure(figsize=picture.size, layout="constrained")
        picture.draw(figure)
        files.append(folder / f"{report.name}-{picture.name}.png")
        figure.savefig(files[-1], dpi=110, metadata={"Software": None})
    return files


def conditions(content: Mapping[str, Any]) -> str:
    """In one paragraph: where, with what and how long a record was made.

    Parameters
    ----------
    content : mapping
        Of a record.
    """
    environment, settings = content["environment"], content["settings"]
    minutes = sum(step["seconds"] for step in content["steps"].values()) / 60
    length = "a quick run, on part of the data: no reproduction" if settings["quick"] else "a full run"
    return (
        f"{length[0].upper()}{length[1:]}: {len(content['steps'])} steps, {minutes:.1f} minutes, seed {settings['seed']}, "
        f"{content['threads']} threads. {processor(environment)}; {software(environment)}. {provenance(content)}"
    )


def provenance(content: Mapping[str, Any]) -> str:
    """Which sources made a record, and when; or that it does not say so.

    Parameters
    ----------
    content : mapping
        Of a record. Those of older versions have neither the provenance of steps, nor LIBSVM's version, nor the edge mode.
    """
    steps = list(content["steps"].values())
    sources = [step["provenance"] for step in steps if "provenance" in step]
    if not sources:
        return (
            "This record lacks provenance: it does not name the commit of its sources, the date, LIBSVM's version and the edge "
            "mode of smoothing, which may be another than the text names."
        )
    commits = sorted({_commit(source) for source in sources})
    dates = sorted({source["date"].partition(" ")[0] for source in sources})
    words = f"Sources: {', '.join(commits)}; {' to '.join(dict.fromkeys((dates[0], dates[-1])))}. "
    if len(sources) < len(steps):
        words += f"{len(steps) - len(sources)} steps lack a commit and a date. "
    libsvm = content["environment"].get("libsvm") or "of an unknown version"
    edge = content.get("smoothing_edge", "unknown")
    return f"{words}LIBSVM {libsvm}, in scikit-learn. Edge mode of smoothing: {edge}."


def _commit(source: Mapping[str, Any]) -> str:
    if source["commit"] is None:
        return "no Git checkout"
    return f"commit {source['commit'][:12]}{'' if source['clean'] else ' with changes'}"
