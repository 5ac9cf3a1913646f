"""Published numbers as cells, each with its place in the file of all published numbers."""

from __future__ import annotations

from collections.abc import Mapping

from ..printed import Printed
from .published import ACCURACY, CLASSES, GLASS, LEFT, METHODS, SCORE, STEPS, TABLE1, TABLE2, THETAS, VECTORS

ROOT = "/don2018_dcsvm"
NAMES = list(CLASSES)


def in_text(text: str, *places: str) -> Printed:
    """Numbers of the text."""
    return Printed(text, *(f"{ROOT}/in_text/{place}" for place in places))


def set_cell(table: int, name: str) -> Printed:
    """The name of a set as a table has it; some have numbers in them."""
    printed = "artificial1" if name == "artificial" and table > 3 else name
    has_number = any(c.isdigit() for c in printed)
    return Printed(printed, *([f"{_row(table, NAMES.index(name))}/dataset"] if has_number else []))


def classes_cell(name: str) -> Printed:
    """A cell of Table 3."""
    return Printed(str(CLASSES[name]), f"{_row(3, NAMES.index(name))}/classes")


def accuracy_cell(name: str, method: str) -> Printed:
    """A cell of Table 4."""
    value = ACCURACY[name][METHODS.index(method)]
    return Printed(f"{value:.2f}", f"{_row(4, NAMES.index(name))}/{_column(method)}")


def count_cell(table: int, name: str, theta: str) -> Printed:
    """A cell of Table 5 or 6."""
    of: Mapping[str, tuple[float, ...]] = STEPS if table == 5 else VECTORS
    return Printed(f"{of[name][THETAS.index(theta)]:.2f}", f"{_row(table, NAMES.index(name))}/{_column(theta)}")


def measure_cells(table: int, pair: tuple[int, int]) -> list[str]:
    """A row of Table 1 or 2: the machine, its purity, balance and score."""
    of = TABLE1 if table == 1 else TABLE2
    row = _row(table, list(of).index(pair))
    i, j = pair
    purity, balance = of[pair]
    return [
        Printed(f"({i}, {j})", f"{row}/i", f"{row}/j"),
        Printed(str(purity), f"{row}/purity"),
        Printed(str(balance), f"{row}/balance"),
        Printed(f"{SCORE} %", f"{row}/score_pct"),
    ]


def labels_cell(table: int) -> Printed:
    """The classes that Table 1 or 2 is about."""
    of = GLASS if table == 1 else LEFT
    return Printed(", ".join(map(str, of)), *(f"{ROOT}/tables/table{table}/classes/{c}" for c in range(len(of))))


def _row(table: int, row: int) -> str:
    return f"{ROOT}/tables/table{table}/rows/{row}"


def _column(method: str) -> str:
    return f"theta_{method}" if method in THETAS else method
