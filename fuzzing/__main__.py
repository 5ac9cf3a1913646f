"""The driver: `python -m fuzzing --minutes 5 --seed 1`, or `--replay FILE` for cases that were written down."""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from . import campaign


def main() -> int:
    """Run, print the counts, and return 1 if there was a failure."""
    parser = argparse.ArgumentParser(prog="python -m fuzzing", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="how long")
    parser.add_argument("--count", type=int, default=None, help="the largest number of cases")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="which cases")
    parser.add_argument("--kind", choices=campaign.KINDS, action="append", help="one kind of case; by default all")
    parser.add_argument("--children", type=int, default=min(8, os.cpu_count() or 1), help="processes")
    parser.add_argument("--limit", type=float, default=10.0, help="seconds of processor time per case")
    parser.add_argument("--save", type=Path, default=None, help="folder for failures (default: fuzzing/found)")
    parser.add_argument("--replay", type=Path, nargs="+", metavar="FILE", help="run written cases")
    options = parser.parse_args()
    if options.replay:
        outcomes = campaign.replay(options.replay, options.limit)
        for path, outcome in outcomes:
            print(f"{path}: {outcome.kind} {outcome.detail}")
        return int(any(outcome.failed for _, outcome in outcomes))
    result = campaign.run(
        kinds=options.kind or campaign.KINDS,
        seed=options.seed,
        seconds=60 * options.minutes,
        count=options.count,
        n_children=options.children,
        limit=options.limit,
        folder=options.save or Path(__file__).parent / "found",
        say=print,
    )
    print(result)
    return int(bool(result.failures))


if __name__ == "__main__":
    raise SystemExit(main())
