"""One document of all papers: written by ``python -m experiments reproduce all``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..catalogue import CATALOGUE
from ..tables import Table
from .record import Record
from .report import VERDICT, Report, conditions, errors_table, left
from .run import draw_or_say

# Sets with one protocol, whole and large enough for an error rate to be compared to half a point.
COMPARABLE = ("letter", "optdigits", "pendigits", "mnist", "segment")


def write_document(reports: Sequence[Report], records: Sequence[Record], folder: Path) -> Path:
    """Write FOLDER.md, with the reports of all papers, and their pictures into the folder.

    Parameters
    ----------
    reports : sequence of Report
    records : sequence of Record
        Of the same papers.
    folder : Path

    Returns
    -------
    Path
        Of the document.
    """
    for report in reports:
        draw_or_say(report, folder)
    file = folder.with_name(f"{folder.name}.md")
    file.write_text(compose(reports, records, f"{folder.name}/"), encoding="utf-8")
    return file


def compose(reports: Sequence[Report], records: Sequence[Record], folder: str) -> str:
    """The document as text."""
    hours = sum(record.seconds for record in records) / 3600
    parts = [
        "# The published experiments, run again",
        "This page is written by `python -m experiments reproduce all`, from the records of the runs: every measured number "
        "stands in the JSON file named below it, with the parameters of its step, the seed, the versions and the digests of "
        "the data. Times are compared as ratios, never as seconds: the papers' machines are long gone.",
        f"All papers together took {hours:.2f} hours of steps.",
        *(
            f"- [{r.name}]({folder}{r.name}.json): {conditions(c.content)}"
            for r, c in zip(reports, records, strict=True)
        ),
        "## What held",
        _held(reports),
        left(
            Table(
                "Claims of all papers",
                ["paper", "claim", "", "measured"],
                [[r.name, claim.says, VERDICT[claim.held], claim.shown] for r in reports for claim in r.claims],
            )
        ),
        *_comparable(reports),
        *_data(),
        *(report.markdown(folder) for report in reports),
    ]
    return "\n\n".join(parts) + "\n"


def _held(reports: Sequence[Report]) -> str:
    """How many claims of each paper held, in words."""
    counts = [(report.name, [claim.held for claim in report.claims]) for report in reports]
    words = "; ".join(f"{name} {held.count(True)} of {len(held)}" for name, held in counts)
    return (
        f"Claims that held: {words}. A claim is decided by its numbers, strictly: one set on which it fails is enough. Where "
        "the data or the reading may be at fault, the same claim stands again with the other reading, and the sections below "
        "show what was tried."
    )


def _data() -> list[str]:
    """The sets that must be fetched by hand."""
    rows = [[name, known.source.where, f"`{known.source.sha256}`"] for name, known in CATALOGUE.items() if known.source]
    return [
        "## Data that cannot be downloaded",
        "Other sets are downloaded where they are not in a folder of `DAGMAR_DATA`. These must be fetched by hand and saved as "
        "`NAME.npz`. The digest is that of the arrays in single precision, as `experiments.data.fingerprint` computes it.",
        left(Table("Sets, and where to get them", ["set", "where", "SHA-256"], rows)),
    ]


def _comparable(reports: Sequence[Report]) -> list[str]:
    """Errors on the sets where half a point means something, papers side by side."""
    errors = [
        (report.name, error)
        for report in reports
        for error in report.errors
        if error.data.lower().partition(",")[0] in COMPARABLE
    ]
    words = "Errors on Letter, Optdigits, Pendigits, MNIST with 49 features and Segment; each paper has all of its own below."
    return ["## Errors", words, errors_table(errors)] if errors else []
