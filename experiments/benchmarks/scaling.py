"""How time and memory grow with rows and with classes.

Run as ``python -m experiments.benchmarks.scaling``, or ``make bench-scaling``. Every point is a fit in a process of its own
(`points`). What is measured goes into ``results/scaling.json`` at once, and a point that is there already is not run again,
so that a run can be stopped and resumed; from that file alone ``docs/scaling.md`` and its pictures are written, at the
end of a run or by ``--document`` without one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..papers.record import write_json
from .cases import CACHE_MB, DataMissingError
from .curves import SIZES, Series, all_series, laws
from .environment import describe_environment
from .points import ONE_VS_ONE, ONE_VS_REST, SCIKIT_LEARN, Point, measure
from .report import parser, positive

LIMIT = 900
DOCS = Path(__file__).parent.parent / "docs"

Measure = Callable[[Point, float], dict[str, Any]]


def new_record(threads: int) -> dict[str, Any]:
    """A record without points."""
    return {"environment": describe_environment(), "threads": threads, "points": {}}


def same_conditions(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether points of one record may stand beside those of the other: the same processor and threads."""

    def essence(record: dict[str, Any]) -> tuple[Any, ...]:
        return (record["threads"], *(record["environment"][key] for key in ("cpu", "cores", "instructions")))

    return essence(old) == essence(new)


def is_settled(entry: dict[str, Any] | None, asked: dict[str, Any], limit: float) -> bool:
    """Whether a point needs no run: it was run with the same parameters by the same version, and ended or ran too long.

    Parameters
    ----------
    entry : dict or None
        What the record has.
    asked : dict
        The point and version now.
    limit : float
        A point that was stopped earlier than this deserves another run.
    """
    if entry is None or any(entry.get(key) != value for key, value in asked.items()):
        return False
    return entry["status"] == "done" or (entry["status"] == "over" and entry["limit"] >= limit)


def run_series(
    series: Series,
    record: dict[str, Any],
    asked: dict[int, Point],
    limit: float,
    *,
    again: bool = False,
    say: Callable[[str], None],
    save: Callable[[], None],
    measure: Measure = measure,
) -> None:
    """Run the points of a series that the record lacks, from small to large; after one that takes too long, none.

    Parameters
    ----------
    series : Series
    record : dict
        Changed in place.
    asked : dict of int to Point
        By size.
    limit : float
        Seconds.
    again : bool
        Run even those that the record has.
    say : callable
        Told of progress.
    save : callable
        Called after every point.
    measure : callable
        Runs a point.
    """
    library = "scikit-learn" if series.who == SCIKIT_LEARN else "dagmar"
    version = f"{library} {record['environment']['versions'][library]}"
    stopped: str | None = None
    for size in sorted(asked):
        key = series.key(size)
        wanted = {"point": asdict(asked[size]), "version": version}
        entry = record["points"].get(key)
        if again or not is_settled(entry, wanted, limit):
            if stopped is None:
                say(f"{series.axis}, {series.set}, {series.who}: {size}")
                found = measure(asked[size], limit)
            else:
                found = {"status": "skipped", "why": stopped}
            entry = record["points"][key] = {**wanted, **found}
            save()
        if stopped is None and entry["status"] == "over":
            stopped = f"{size} {series.axis} took longer than {entry['limit']:g} s"
        elif stopped is None and entry["status"] == "failed":
            stopped = f"{size} {series.axis} failed ({entry['why']})"


def asked_of(series: Series, threads: int, cache_mb: int, up_to: int | None) -> dict[int, Point]:
    """The points of a series, but none of more training rows than asked for."""
    rows_of = {"rows": 1, "classes": 100 if series.set == "clouds" else 615}[series.axis]  # Letter: 16000 rows of 26
    return {
        size: Point(series.set, series.who, **{series.axis: size}, threads=threads, cache_mb=cache_mb)
        for size in series.sizes
        if up_to is None or size * rows_of <= up_to
    }


def read(file: Path) -> dict[str, Any] | None:
    """The record, if there is one."""
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None


def main(arguments: list[str] | None = None) -> int:
    """Run what is missing, then write the document and its pictures.

    Parameters
    ----------
    arguments : list of str, optional
        The command line, without the program's name.

    Returns
    -------
    int
        1 if there is nothing to write a document from, or data was missing. A point over the limit is no failure.
    """
    from rich.console import Console

    from .scaling_document import document
    from .scaling_pictures import draw

    chosen = _parser().parse_args(arguments)
    console = Console()
    file = chosen.out / "scaling.json"
    record, missing = read(file), False
    if not chosen.document:
        fresh = new_record(chosen.threads)
        if record is not None and not same_conditions(record, fresh):
            console.print("The points on record are of another processor or number of threads, and are dropped.")
            record = None
        record = fresh if record is None else {**fresh, "points": record["points"]}
        for series in all_series(peers=chosen.peers):
            if series.set not in chosen.sets or series.axis not in chosen.axes or series.who not in chosen.who:
                continue
            try:
                run_series(
                    series,
                    record,
                    asked_of(series, chosen.threads, chosen.cache_mb, chosen.up_to),
                    chosen.limit,
                    again=chosen.again,
                    say=lambda line: console.print(line, style="dim"),
                    save=lambda: write_json(record, file),
                )
            except DataMissingError as error:
                console.print(error, style="red")
                missing = True
    if not record or not record["points"]:
        console.print(f"{file.name} has no points to write about.", style="red")
        return 1
    if not chosen.document:
        write_json({**record, "laws": laws(record)}, file)
    pictures = draw(record, chosen.docs / "pictures")
    (chosen.docs / "scaling.md").write_text(document(record, pictures), encoding="utf-8")
    console.print("Written: scaling.md and", ", ".join(pictures))
    return int(missing)


def _parser() -> Any:
    options = parser("experiments.benchmarks.scaling", "How time and memory grow with rows and classes.", repeats=None)
    sets = list(dict.fromkeys(name for _, name in SIZES))
    axes = list(dict.fromkeys(axis for axis, _ in SIZES))
    options.add_argument("--sets", nargs="+", choices=sets, default=sets, help="data sets (default: all)")
    options.add_argument("--axes", nargs="+", choices=axes, default=axes, help="what grows (default: both)")
    everyone = [ONE_VS_ONE, ONE_VS_REST, SCIKIT_LEARN]
    options.add_argument("--who", nargs="+", choices=everyone, default=everyone, help="who fits (default: all)")
    options.add_argument("--up-to", type=positive, help="leave out points of more training rows than this")
    options.add_argument("--limit", type=float, default=LIMIT, help=f"seconds for a point (default: {LIMIT})")
    options.add_argument("--cache-mb", type=positive, default=CACHE_MB, help=f"of kernel rows (default: {CACHE_MB})")
    options.add_argument("--peers", action="store_true", help="scikit-learn on every set, not on Letter alone")
    options.add_argument("--again", action="store_true", help="run also the points that are on record")
    options.add_argument("--document", action="store_true", help="run nothing, write the document from the record")
    options.add_argument("--docs", type=Path, default=DOCS, help="folder of the document")
    return options


if __name__ == "__main__":
    sys.exit(main())
