"""The files of a comparison, beside its results: CSV, tables, pictures and sentences."""

from __future__ import annotations

import sys
from pathlib import Path

from .cube import Cube
from .pictures import draw
from .questions import by_topic
from .results import Results
from .shapes import shape_table
from .tables import all_tables, comma_separated, latex


def write_outputs(results: Results, folder: Path) -> list[Path]:
    """Write results.csv, tables.md, tables.tex and the pictures; print the sentences.

    Parameters
    ----------
    results : Results
    folder : Path

    Returns
    -------
    list of Path
        Of the files.
    """
    cube = Cube.of(results.content)
    if not cube.steps:
        return []
    tables = [*all_tables(cube), *([shapes] if (shapes := shape_table(cube)).rows else [])]
    answers = [f"- {one.question} {one.answer}" for sentences in by_topic(cube).values() for one in sentences]
    texts = {
        "results.csv": comma_separated(results.content),
        "tables.md": "\n\n".join(["# Comparison", "\n".join(answers), *(table.markdown() for table in tables)]) + "\n",
        "tables.tex": "\n\n".join(map(latex, tables)) + "\n",
    }
    written = [results.file]
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
        written.append(folder / name)
    print("\n".join([tables[0].markdown(), "", *answers]))
    return [*written, *draw_or_say(cube, folder)]


def draw_or_say(cube: Cube, folder: Path) -> list[Path]:
    """Draw the pictures, or say what is missing for that."""
    try:
        return draw(cube, folder)
    except ImportError as error:
        print(
            f"[dagmar] pictures are missing: {error.name} is not installed (pip install '.[compare]')", file=sys.stderr
        )
        return []
