"""The command ``python -m experiments``: the published experiments, run again, comparisons of schemes, and the benchmarks."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from dagmar import InvalidParameterError

from . import benchmarks, papers
from .exceptions import DataError, OtherRunError, StepError

# Errors of the user: a wrong option, data or a record that is not what it should be, a folder that cannot be written. Any
# other error is a defect and keeps its traceback.
EXPECTED = (InvalidParameterError, DataError, OtherRunError, StepError, OSError)
STOPPED = 130  # the exit code of a command stopped by Ctrl-C


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process by default.

    Returns
    -------
    int
        The exit code of the process: 0 if all went well.
    """
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except KeyboardInterrupt:
        print(f"\n[dagmar] stopped{options.when_stopped}", file=sys.stderr)
        return STOPPED
    except EXPECTED as error:
        print(f"experiments: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments",
        description="The published experiments, run again, comparisons of schemes, and the benchmarks.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_reproduce(commands)
    _add_compare(commands)
    _add_bench(commands)
    return parser


def _add_reproduce(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "reproduce",
        help="run the experiments of a paper again, beside its published figures",
        description="Run the experiments of a paper by its own protocol and print published and measured figures side by "
        "side. Results are kept step by step in OUT/NAME-seedN.json; if the command is stopped, the same command continues "
        "from there. 'all' runs all papers and writes an index of their pages, OUT.md.",
    )
    parser.add_argument("name", choices=(*papers.NAMES, "all"), help="the paper, or all of them")
    parser.add_argument(
        "--data",
        help="folder of the data sets, or several separated as in PATH (default: the environment variable DAGMAR_DATA); "
        "other sets come from OpenML",
    )
    parser.add_argument("--quick", action="store_true", help="part of the data, in less than two minutes")
    parser.add_argument(
        "--seed", type=int, nargs="+", default=[0], help="of every random choice; one run for each (default: 0)"
    )
    parser.add_argument(
        "--search", action="store_true", help="also choose kernels and parameters where the paper prints its own"
    )
    parser.add_argument(
        "--out", type=Path, help="folder for JSON, Markdown and PNG (default: reproduction, or reproduction-quick)"
    )
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="(default: all)")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--list", action="store_true", help="name all steps, and run none")
    only.add_argument(
        "--step", metavar="KEY", help="run this step alone, such as curve/80/vowel of don2018, and print what it finds"
    )
    only.add_argument("--records", action="store_true", help="run, and write no text: for runs side by side")
    only.add_argument(
        "--document", action="store_true", help="write the text again from the records in OUT; run nothing"
    )
    parser.add_argument("--fresh", action="store_true", help="start again, whatever OUT holds")
    parser.set_defaults(run=_reproduce, when_stopped="; the same command continues from here")


def _add_compare(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "compare",
        help="compare multiclass schemes with each other, and with what people would use instead",
        description="Tune, train and test schemes on the same splits of the same data, and write results.json, results.csv, "
        "tables.md, tables.tex and pictures into a folder. If the command is stopped, the same command continues.",
    )
    parser.add_argument(
        "--schemes", nargs="+", metavar="SCHEME", help="such as max_wins ddag fisher_tree+soft11 forest"
    )
    parser.add_argument(
        "--data",
        nargs="+",
        metavar="SET",
        help="folders of .npz files, file.csv:target, ids of OpenML, or names of sets in the folders of the environment "
        "variable DAGMAR_DATA (default: all of those)",
    )
    parser.add_argument("--splits", type=int, help="splits of every set, 70 %% to train and 30 %% to test (default: 5)")
    parser.add_argument("--rows", type=int, help="the most rows of a set; more are drawn at random (default: 2000)")
    parser.add_argument("--seed", type=int, help="of every random choice (default: 0)")
    parser.add_argument("--out", help="folder to write into (default: comparison)")
    parser.add_argument("--threads", type=int, help="of one step (default: 1, so that times can be compared)")
    parser.add_argument("--jobs", type=int, help="steps that run at the same time (default: 1)")
    parser.add_argument("--minutes", type=float, help="begin no step after this time")
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="a TOML file with these options; options given here win"
    )
    parser.add_argument("--page", help="also write a page of documentation about the results")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--list-schemes", action="store_true", help="name all schemes")
    only.add_argument("--list", action="store_true", help="name all steps, and run none")
    only.add_argument("--step", metavar="SET/SPLIT/SCHEME", help="run this step alone, and print what it finds")
    only.add_argument("--document", action="store_true", help="write all files again from results.json; run nothing")
    parser.add_argument("--fresh", action="store_true", help="start again, whatever OUT holds")
    parser.set_defaults(run=_compare, when_stopped="; the same command continues from here")


def _add_bench(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "bench",
        help="run a benchmark",
        description="Run a benchmark; `python -m experiments bench NAME --help` lists its options. The data comes from the "
        "folders named by the environment variable DAGMAR_DATA, or else from OpenML.",
    )
    parser.add_argument(
        "name", choices=benchmarks.NAMES, help="the benchmark; 'peers' compares with all other libraries"
    )
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="options of the benchmark")
    parser.set_defaults(run=_bench, when_stopped="")


# The modules that do the work load NumPy and scikit-learn; --help should not.
def _reproduce(options: argparse.Namespace) -> int:
    from .papers import commands

    return commands.reproduce(options)


def _compare(options: argparse.Namespace) -> int:
    from .compare import commands

    return commands.compare(options)


def _bench(options: argparse.Namespace) -> int:
    return benchmarks.benchmark_of(options.name).main(options.arguments)


if __name__ == "__main__":
    sys.exit(main())
