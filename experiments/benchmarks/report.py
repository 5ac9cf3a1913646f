"""How the results of a benchmark are described and written."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..environment import describe_environment, processor, software
from ..provenance import describe_source, digest_of_sources, source_in_words
from ..records import write_json
from ..tables import Table
from .cases import Case
from .command import Screen
from .results import Result, disagreements
from .speed_tables import headline

PEERS = ("scikit-learn-intelex", "libsvm-official")
Content = dict[str, Any]  # of a report: plain data, as it goes into the JSON file


def new_report(options: argparse.Namespace) -> Content:
    """A report that says only where, of which sources, and with how many threads and repeats its numbers are measured.

    Parameters
    ----------
    options : Namespace
        With threads, repeats if everything is repeated as often, and the most rows of a set.
    """
    chosen = {key: getattr(options, key) for key in ("threads", "repeats", "max_rows") if hasattr(options, key)}
    source = {**describe_source(), "digest": digest_of_sources()}
    return {"environment": describe_environment(PEERS), "source": source, **chosen}


def heading(title: str, report: Content) -> str:
    """The title of a page, which says so if there was no AVX-512.

    Parameters
    ----------
    title : str
    report : dict
        As `new_report` begins it.
    """
    less = {"avx2": ", with AVX2", "plain": ", without SIMD"}.get(report["environment"]["instructions"], "")
    return f"# {title}{less}"


def conditions(report: Content) -> str:
    """Where, with how many threads and of which sources the numbers were measured, in words.

    Parameters
    ----------
    report : dict
        As `new_report` begins it.
    """
    repeats = f"; {report['repeats']} repeats" if "repeats" in report else ""
    return (
        f"{processor(report['environment'])}; {report['threads']} threads for those who can use them{repeats}. "
        f"{software(report['environment'])}. {source_in_words(report.get('source'))}"
    )


def write(report: Content, text: str, folder: Path, name: str) -> None:
    """Write NAME.json, with every raw timing, and NAME.md."""
    write_json(report, folder / f"{name}.json")
    (folder / f"{name}.md").write_text(text, encoding="utf-8")


@dataclass(frozen=True)
class SetBySet:
    """A report with a section for each data set.

    Attributes
    ----------
    name : str
        Of the files.
    title : str
    tables : callable
        From the name and the result of a data set to its tables.
    """

    name: str
    title: str
    tables: Callable[[str, Result], list[Table]]

    def markdown(self, report: Content) -> str:
        """The whole report as text."""
        parts = [heading(self.title, report), conditions(report)]
        for name, result in report["sets"].items():
            parts += [
                f"## {headline(name, result['case'])}",
                *(table.markdown() for table in self.tables(name, result)),
            ]
        return "\n\n".join([*parts, *(f"Disagreement: {line}." for line in disagreements(report))]) + "\n"

    def run(
        self, cases: Iterable[Case], measure: Callable[[Case], Result], options: argparse.Namespace, screen: Screen
    ) -> int:
        """Measure, show and write one data set after the other.

        Parameters
        ----------
        cases : iterable of Case
        measure : callable
        options : Namespace
        screen : Screen

        Returns
        -------
        int
            0 if every answer agreed, else 1.
        """
        report: Content = {**new_report(options), "sets": {}}
        for case in cases:
            screen.headline(headline(case.name, case.describe()))
            report["sets"][case.name] = result = measure(case)
            screen.show(self.tables(case.name, result))
            # After each set, so that a run that is stopped keeps the sets before.
            write(report, self.markdown(report), options.out, self.name)
        failures = disagreements(report)
        for line in failures:
            screen.fail(f"Disagreement: {line}")
        return int(bool(failures))
