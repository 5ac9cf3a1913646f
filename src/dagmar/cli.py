"""The command ``dagmar``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from . import __version__

WHAT_THERE_IS = """\
There are no commands yet. Use the Python library for training, prediction and conversion:

    import dagmar
    clf = dagmar.SVC(C=10, gamma=2.5).fit(X, y)
    clf.predict(X)
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, which prints its help.

    Parameters
    ----------
    arguments : sequence of str, optional
        Command-line arguments; by default those of the process.

    Returns
    -------
    int
        The exit code of the process: 0. Wrong arguments end the process with exit code 2.
    """
    parser = argparse.ArgumentParser(
        prog="dagmar",
        description="Multiclass kernel SVMs: one machine is trained per pair of classes; a prediction consults only a few.",
        epilog=WHAT_THERE_IS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"dagmar {__version__}")
    parser.parse_args(arguments)
    parser.print_help()
    return 0
