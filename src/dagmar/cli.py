"""The command ``dagmar``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from . import __version__

WHAT_THERE_IS = """\
There are no commands yet: training, prediction and conversion are in the Python library.

    import dagmar
    clf = dagmar.SVC(C=10, gamma=2.5).fit(X, y)
    clf.predict(X)
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command: say what it can do.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process by default.

    Returns
    -------
    int
        The exit code of the process: 0 if all went well, 2 if the command was used wrongly.
    """
    parser = argparse.ArgumentParser(
        prog="dagmar",
        description="Multiclass kernel SVMs: one machine per pair of classes, of which a prediction consults only a few.",
        epilog=WHAT_THERE_IS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"dagmar {__version__}")
    parser.parse_args(arguments)
    parser.print_help()
    return 0
