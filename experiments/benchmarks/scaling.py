"""How time and memory grow with rows and with classes.

`make bench-scaling` runs it. Every point is a fit in a process of its own (`points`). Each result is written into
``results/scaling.json`` at once, and a point that is already there is not run again, so a run can be stopped and resumed.
``docs/scaling.md`` and its pictures are written from that file alone: at the end of a run, or without one by ``--document``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..exceptions import DataError
from ..records import read_json, write_json
from .cases import CACHE_MB
from .command import Benchmark, Screen, positive
from .curves import SIZES, Record, Series, all_series, laws
from .points import ONE_VS_ONE, ONE_VS_REST, SCIKIT_LEARN, Point, measure
from .report import new_report

LIMIT = 900
DOCS = Path(__file__).parents[2] / "docs"

Measure = Callable[[Point, float], dict[str, Any]]


def new_record(options: argparse.Namespace) -> Record:
    """A record without points."""
    return {**new_report(options), "points": {}}


def same_conditions(old: Record, new: Record) -> bool:
    """Whether points of one record may stand beside those of the other: the same processor and threads."""

    def essence(record: Record) -> tuple[Any, ...]:
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
    return bool(entry["status"] == "done" or (entry["status"] == "over" and entry["limit"] >= limit))


def run_series(
    series: Series,
    record: Record,
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


def run(options: argparse.Namespace, screen: Screen) -> int:
    """Run the points that are missing, then write the document and its pictures."""
    from .scaling_document import document
    from .scaling_pictures import draw

    file = options.out / "scaling.json"
    record, missing = (read_json(file) if file.is_file() else None), False
    if not options.document:
        record = continued(record, new_record(options), screen)
        missing = not run_all(record, options, screen)
    if not record or not record["points"]:
        screen.fail(f"{file.name} has no points to write about.")
        return 1
    if not options.document:
        write_json({**record, "laws": laws(record)}, file)
    pictures = draw(record, options.docs / "pictures")
    (options.docs / "scaling.md").write_text(document(record, pictures), encoding="utf-8")
    screen.say(f"Written: scaling.md and {', '.join(pictures)}")
    return int(missing)


def continued(old: Record | None, fresh: Record, screen: Screen) -> Record:
    """The new record, with the points of the old one if they were measured under the same conditions."""
    if old is None:
        return fresh
    if not same_conditions(old, fresh):
        screen.say("The points on record are of another processor or number of threads, and are dropped.")
        return fresh
    earlier = [*old.get("earlier_sources", []), old.get("source")]
    others = [source for source in earlier if source is None or source["digest"] != fresh["source"]["digest"]]
    return {**fresh, "earlier_sources": others, "points": old["points"]}


def run_all(record: Record, options: argparse.Namespace, screen: Screen) -> bool:
    """Run all series that were asked for; returns whether all data was there."""
    complete = True
    for series in all_series(peers=options.peers):
        if series.set not in options.sets or series.axis not in options.axes or series.who not in options.who:
            continue
        try:
            run_series(
                series,
                record,
                asked_of(series, options.threads, options.cache_mb, options.up_to),
                options.limit,
                again=options.again,
                say=screen.say,
                save=lambda: write_json(record, options.out / "scaling.json"),
            )
        except DataError as error:
            screen.fail(str(error))
            complete = False
    return complete


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which points, how long each may take, and where the document goes."""
    sets = list(dict.fromkeys(name for _, name in SIZES))
    axes = list(dict.fromkeys(axis for axis, _ in SIZES))
    parser.add_argument("--sets", nargs="+", choices=sets, default=sets, help="data sets (default: all)")
    parser.add_argument("--axes", nargs="+", choices=axes, default=axes, help="what grows (default: both)")
    everyone = [ONE_VS_ONE, ONE_VS_REST, SCIKIT_LEARN]
    parser.add_argument("--who", nargs="+", choices=everyone, default=everyone, help="who fits (default: all)")
    parser.add_argument("--up-to", type=positive, help="leave out points of more training rows than this")
    parser.add_argument("--limit", type=float, default=LIMIT, help=f"seconds for a point (default: {LIMIT})")
    parser.add_argument("--cache-mb", type=positive, default=CACHE_MB, help=f"of kernel rows (default: {CACHE_MB})")
    parser.add_argument("--peers", action="store_true", help="scikit-learn on every set, not on Letter alone")
    parser.add_argument("--again", action="store_true", help="run also the points that are on record")
    parser.add_argument("--document", action="store_true", help="run nothing, write the document from the record")
    parser.add_argument("--docs", type=Path, default=DOCS, help="folder of the document")


BENCHMARK = Benchmark("scaling", "How time and memory grow with rows and classes.", run, add_options, repeats=None)
