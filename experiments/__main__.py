"""``python -m experiments``: the published experiments, run again."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from dagmar.base.exceptions import InvalidParameterError, MissingDataError

from .papers import NAMES
from .exceptions import OtherRunError

# A wrong option, data or a record that is not what it should be, a folder that cannot be written; the rest is a defect, and
# keeps its traceback.
EXPECTED = (InvalidParameterError, MissingDataError, OtherRunError, OSError)
STOPPED = 130  # what shells say of a command stopped by Ctrl-C


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process by default.

    Returns
    -------
    int
        What the process exits with: 0 if all went well.
    """
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except KeyboardInterrupt:
        print("\n[dagmar] stopped; the same command goes on from here", file=sys.stderr)
        return STOPPED
    except EXPECTED as error:
        print(f"experiments: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m experiments", description="The published experiments, run again.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    reproduce = commands.add_parser(
        "reproduce",
        help="run the experiments of a paper again, beside its published figures",
        description="Run the experiments of a paper by its own protocol and print published and measured figures side by "
        "side. What is measured is kept step by step in OUT/NAME.json; stopped by whatever, the same command goes on from "
        "there. 'all' runs the four papers and writes one document of them, OUT.md.",
    )
    reproduce.add_argument("name", choices=(*NAMES, "all"), help="the paper, or all of them")
    reproduce.add_argument("--data", help="folder of the data sets (default: the environment variable DAGMAR_DATA)")
    reproduce.add_argument("--quick", action="store_true", help="part of the data, in less than two minutes")
    reproduce.add_argument("--seed", type=int, default=0, help="of every random choice (default: 0)")
    reproduce.add_argument(
        "--search", action="store_true", help="also choose kernels and parameters where the paper prints its own"
    )
    reproduce.add_argument(
        "--out", type=Path, help="folder for JSON, Markdown and PNG (default: reproduction, or reproduction-quick)"
    )
    reproduce.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="(default: all)")
    reproduce.add_argument("--fresh", action="store_true", help="begin anew, whatever OUT holds")
    reproduce.set_defaults(run=_reproduce)
    return parser


def _reproduce(options: argparse.Namespace) -> int:
    from .papers import commands  # all that is heavy

    return commands.reproduce(options)


if __name__ == "__main__":
    sys.exit(main())
