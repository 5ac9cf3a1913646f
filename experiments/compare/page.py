"""The page of documentation about a comparison: which scheme, when, and against what people would use instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dagmar.base.showing import counted

from ..environment import processor, software
from ..tables import Table
from .answers import Sentence
from .cube import Cube
from .pictures import pictures
from .questions import Topic, by_topic
from .results import FILE, Results
from .scheme import Kind
from .shapes import shape_table
from .tables import accuracies, differences, sets, summary

HEADINGS = {
    Topic.ACCURACY: "Is an SVM the right tool?",
    Topic.SHAPE: "By the shape of the data",
    Topic.TIME: "Time to a tuned model",
    Topic.STRUCTURE: "Which structure, and the other multiclass schemes",
    Topic.COST: "Cost of a decision",
}
USE = """In a checkout of the sources:

```bash
pip install -e '.[compare]'
python -m experiments compare --data flowers.csv:species --schemes max_wins forest
```

This reads `flowers.csv`, whose column `species` has the classes, and compares two schemes on five splits. Tables, pictures and
sentences go to the folder `comparison`. Columns of words become 0/1 columns, and a missing number becomes the median of its
column. `--data` also takes folders of `.npz` files, ids of OpenML such as `61`, and names of sets in the folders of the
environment variable `DAGMAR_DATA`. `--list-schemes` names all schemes. If the command is stopped, the same command continues.
`--step flowers/0/forest` runs one step alone."""
PROTOCOL = """- Each set is split {splits} times into 70 % to train on and 30 % to test with, with the shares of the classes
  kept; the splits are the same for all schemes. A set with more than {rows} rows is reduced to {rows}, drawn at random.
  Classes with fewer than 8 rows are left out.
- Each scheme is tuned on the training rows alone, with scaling inside the folds. `SVCCV(search="adaptive")` tunes the
  structures over five folds. Other kernel schemes have a grid of 15 cells over five folds, and Crammer & Singer one of 9 cells
  over three. What people would use instead has ten cells over three folds. [results.json]({folder}/results.json) has every
  grid.
- Times are processor time with {threads} thread, search included.
- On each set, the interval of a difference is that of Nadeau & Bengio, with Holm's correction over the sets. Over sets there
  are Friedman's test, and Wilcoxon's test with Holm's correction over the schemes. Nemenyi's test is only drawn.
- Ranks and tests over sets leave out generated data ({generated}) and count related sets once. The table of sets has the
  reasons.
- Every sentence is checked with the two halves of the splits. If they disagree, it says that the question cannot be decided."""


def write_page(results: Results, folder: Path, file: Path) -> Path:
    """Write the page.

    Parameters
    ----------
    results : Results
    folder : Path
        Where the results and pictures are.
    file : Path
        The page.

    Returns
    -------
    Path
        The page.
    """
    cube = Cube.of(results.content)
    at = folder.relative_to(file.parent) if folder.is_relative_to(file.parent) else folder
    file.write_text(compose(cube, results.content, at.as_posix()), encoding="utf-8")
    return file


def compose(cube: Cube, content: Mapping[str, Any], folder: str) -> str:
    """The page as text.

    Parameters
    ----------
    cube : Cube
    content : mapping
        Of the file of results.
    folder : str
        Where results and pictures are, as seen from the page.
    """
    answers = by_topic(cube)
    drawn = drawn_pictures(cube, folder)
    settings = content["settings"]
    generated = ", ".join(name for name in cube.counting.generated if name in cube.sets)
    parts = [
        "# Choosing a scheme",
        "Which structure to use, and when an SVM is the right tool. This page is written by `make compare` from "
        f"[{FILE}]({folder}/{FILE}); every number and every sentence with a number comes from it.",
        extent(cube, content),
        *_topic(Topic.ACCURACY, answers, drawn.get("ranks")),
        *_shapes(cube),
        *_topic(Topic.TIME, answers, drawn.get("time")),
        "## Which structure for which purpose",
        _purposes(cube, answers),
        *_topic(Topic.STRUCTURE, answers),
        *_topic(Topic.COST, answers, drawn.get("cost")),
        "## All schemes",
        summary(cube).markdown(),
        drawn.get("wins", ""),
        _schemes(content),
        "## Compare on your own data",
        USE,
        "## How it was measured",
        PROTOCOL.format(
            splits=len(cube.splits),
            rows=settings["rows"],
            threads=settings["threads"],
            folder=folder,
            generated=generated,
        ),
        conditions(content),
        "## Set by set",
        sets(cube).markdown(),
        accuracies(cube).markdown(),
        *(differences(cube, kind).markdown() for kind in (Kind.INSTEAD,) if cube.of_kind(kind.name)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def drawn_pictures(cube: Cube, folder: str) -> dict[str, str]:
    """The pictures of a folder with their captions, for a page, by their names."""
    return {
        picture.name: f"![{picture.caption}]({folder}/{picture.name}.png)\n\n*{picture.caption}*"
        for picture in pictures(cube)
    }


def _topic(topic: Topic, answers: Mapping[Topic, Sequence[Sentence]], picture: str | None = None) -> list[str]:
    # Where others win, the page says so first.
    lines = [f"- {one.question} {one.answer}" for one in answers.get(topic, ())]
    return [f"## {HEADINGS[topic]}", "\n".join(lines), *([picture] if picture else [])] if lines else []


def _purposes(cube: Cube, answers: Mapping[Topic, Sequence[Sentence]]) -> str:
    cheap = [one.conclusion if one.decided else "cannot be decided" for one in answers[Topic.COST]]
    evaluations, machines = cheap if len(cheap) == 2 else ["not measured"] * 2
    classes = max((told["classes"] for told in cube.sets.values()), default=0)
    rows = [
        ["the labels of scikit-learn", "`max_wins`", "the same machines, the same votes, the same ties"],
        ["fewest kernel evaluations per prediction", evaluations, "measured: see “Cost of a decision”"],
        [
            "a short explanation of each answer",
            machines,
            "fewest machines per prediction, measured; `explain` shows them",
        ],
        [
            "thousands of classes",
            '`FisherTree(machines="groups")`',
            f"N−1 machines in place of N(N−1)/2. No set here has more than {classes} classes; "
            "[scaling.md](scaling.md) has measurements with more",
        ],
    ]
    return Table("Structures by purpose", ["you want", "use", "why"], rows).markdown().replace("---:", "---")


def _shapes(cube: Cube) -> list[str]:
    table = shape_table(cube)
    return [f"## {HEADINGS[Topic.SHAPE]}", table.markdown()] if table.rows else []


def extent(cube: Cube, content: Mapping[str, Any]) -> str:
    """How many sets, splits and schemes there are, and whether the run is complete."""
    there = {name for name, _, _ in cube.steps}
    asked = content.get("asked", len(there) * len(cube.splits) * len(cube.schemes))
    run = sum(scheme in cube.schemes for _, _, scheme in cube.steps)
    count = len(cube.means([cube.reference]).counted().sets)
    words = f"{len(there)} sets, of which {count} count in ranks; {counted(len(cube.splits), 'split')}; "
    words += f"{len(cube.schemes)} schemes."
    if run < asked:
        words += f" **The run is not complete**: {run} of {asked} steps are there. Each sentence uses the sets and "
        words += "splits that all its schemes have."
    failed = sum("error" in found for found in content["steps"].values())
    return words + (f" {counted(failed, 'step')} failed." if failed else "")


def _schemes(content: Mapping[str, Any]) -> str:
    rows = [[f"`{name}`", Kind[told["kind"]].value, told["words"]] for name, told in content["schemes"].items()]
    return Table("Schemes", ["scheme", "kind", "what it is"], rows).markdown().replace("---:", "---")


def conditions(content: Mapping[str, Any]) -> str:
    """When, from which sources and where the steps were run."""
    runs = content["runs"]
    places = sorted({f"{processor(run['environment'])}; {software(run['environment'])}" for run in runs})
    commits = sorted(
        {(run["commit"] or "no Git checkout")[:12] + ("" if run["clean"] else " with changes") for run in runs}
    )
    hours = sum(found.get("seconds", 0.0) for found in content["steps"].values()) / 3600
    return (
        f"{hours:.2f} hours of processor time in {len(runs)} runs, {runs[0]['date'][:10]} to {runs[-1]['date'][:10]}; sources: "
        f"{', '.join(commits)}. {' / '.join(places)}."
    )
