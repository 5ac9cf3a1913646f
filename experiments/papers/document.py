"""One document of all papers: written by ``python -m experiments reproduce all``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..catalogue import CATALOGUE
from ..tables import Table
from .record import Record
from .report import Report, conditions, errors_table, left
from .rule import RULE, THRESHOLDS, Verdict
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
        *_rule(),
        "## What held",
        _held(reports),
        left(
            Table(
                "Claims of all papers",
                ["paper", "claim", "verdict", "measured"],
                [[r.name, claim.says, str(claim.judgement), claim.shown] for r in reports for claim in r.claims],
            )
        ),
        *_comparable(reports),
        *_data(),
        *(report.markdown(folder) for report in reports),
    ]
    return "\n\n".join(parts) + "\n"


def _held(reports: Sequence[Report]) -> str:
    """How many claims of each paper have each verdict, as a table."""
    rows = []
    for report in reports:
        verdicts = [claim.verdict for claim in report.claims]
        rows.append([report.name, *(str(verdicts.count(verdict)) for verdict in Verdict), str(len(verdicts))])
    return Table("Verdicts", ["paper", *(verdict.value for verdict in Verdict), "claims"], rows).markdown()


def _rule() -> list[str]:
    """The rule, and the thresholds of all claims."""
    rows = [[f"{t.value:g} {t.unit}", t.used, t.reason] for t in THRESHOLDS]
    return [
        "## The rule",
        "\n".join(f"{number}. {words}" for number, words in enumerate(RULE, 1)),
        left(Table("Thresholds", ["threshold", "what it decides", "reason"], rows)),
    ]


def _data() -> list[str]:
    """The sets that must be fetched by hand."""
    rows = [[name, known.origin.where, f"`{known.origin.sha256}`"] for name, known in CATALOGUE.items() if known.origin]
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
