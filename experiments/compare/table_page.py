"""The page about tables: `SVCCV(search="auto")` against forests and boosting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dagmar.base.showing import counted
from dagmar.base.typing import Array

from ..statistics import friedman, holm, ranks, signed_rank_test
from ..tables import NONE, Table
from .answers import CLOSE, Answer, ask
from .cube import REFERENCE, Cube
from .page import conditions, drawn_pictures, extent
from .results import FILE, Results
from .schemes import TABLE_SEARCH, TREES
from .tables import by_name, sets

ALLOWED_LOSS = 0.3  # points that the search may lose against tuned rbf where that is best
SHARES = ((0.2, "on a fifth of the sets or fewer"), (0.5, "on half of the sets or fewer"), (1.0, "on most sets"))
YARDSTICK = "forest_300"  # whose time the search is compared with
INTRODUCTION = """`SVCCV(search="auto")` chooses kernel, scaling, feature weights, C and gamma by cross-validation. This page
compares it with what people use for tables: random forest, extra trees, and gradient boosting
(`HistGradientBoostingClassifier`), each with its defaults and tuned for as long as the search took; a forest of 300 trees is
there as well. For each of them the better of these counts. The page is written by `make bench-tables` from
[{file}]({folder}/{file}). The search never sees the test rows."""
PROTOCOL = """- Sets of both data folders with at most 300 features. A set with more than {rows} rows is reduced to {rows},
  drawn at random. Each is split {splits} times into 70 % to train on and 30 % to test with; the splits are the same for all.
- Everything is chosen on the training rows: kernel, scaling, weights, C and gamma by five folds, the parameters of trees by
  three.
- “Tuned” trees try their defaults and then cells of a grid in random order, until the processor time of the search on the same
  split is used up; if that is too short for one cell, they have their defaults.
- Times are processor time with {threads} thread, search included.
- Ranks and tests leave out generated data and count related sets once."""


def write_table_page(results: Results, folder: Path, file: Path) -> Path:
    """Write the page.

    Parameters
    ----------
    results : Results
    folder : Path
        Where the results are.
    file : Path
        The page.

    Returns
    -------
    Path
        The page.
    """
    at = folder.relative_to(file.parent) if folder.is_relative_to(file.parent) else folder
    file.write_text(compose(Cube.of(results.content), results.content, at.as_posix()), encoding="utf-8")
    return file


def variants(cube: Cube, tree: str) -> list[str]:
    """The schemes of one kind of trees that have results."""
    return [scheme for scheme in cube.schemes if scheme.rpartition("_")[0] == tree]


def better_variants(cube: Cube) -> dict[str, str]:
    """For each kind of trees, the variant with the higher mean accuracy over the sets that count."""
    found = {}
    for tree in TREES:
        names = variants(cube, tree)
        matrix = cube.means(names).counted() if names else None
        if matrix is not None and len(matrix.sets):
            found[tree] = names[int(np.argmax(matrix.values.mean(axis=0)))]
    return found


def compose(cube: Cube, content: Mapping[str, Any], folder: str) -> str:
    """The page as text.

    Parameters
    ----------
    cube : Cube
    content : mapping
        Of the file of results.
    folder : str
        Where the results are, as seen from the page.
    """
    settings = content["settings"]
    questions = (
        ("Where does it lose?", losses),
        ("Which has the best mean rank?", mean_ranks),
        ("And if each kind of trees may take its better variant on every set?", strict_ranks),
        ("How long does it take?", times),
        (f"Is it as good as tuned rbf (`{REFERENCE}`) where that is best?", against_rbf),
    )
    sentences = [one for question, answer in questions if (one := ask(question, answer, cube)) is not None]
    parts = [
        "# Tables: the search against forests and boosting",
        INTRODUCTION.format(file=FILE, folder=folder),
        extent(cube, content),
        "\n".join(f"- {one.question} {one.answer}" for one in sentences),
        *(text for name, text in drawn_pictures(cube, folder).items() if name in ("ranks", "time")),
        "## Set by set",
        accuracy_table(cube).markdown(),
        "## What the search chose",
        chosen(cube),
        "## How it was measured",
        PROTOCOL.format(splits=len(cube.splits), rows=settings["rows"], threads=settings["threads"]),
        conditions(content),
        sets(cube).markdown(),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


# ------------------------------------------------------------------------ answers


def losses(cube: Cube) -> Answer | None:
    """On which sets the best of the trees is clearly ahead."""
    names = [TABLE_SEARCH, *better_variants(cube).values()]
    matrix = cube.means(names)
    if len(names) < 2 or not len(matrix.sets):
        return None
    behind = matrix.values[:, 1:].max(axis=1) - matrix.values[:, 0]
    order = [i for i in np.argsort(-behind) if behind[i] >= CLOSE]
    if not order:
        return Answer("nowhere", f"Nowhere by {CLOSE:g} points or more.")
    listed = ", ".join(f"{matrix.sets[i]} ({behind[i]:.1f}, `{names[1 + _best(matrix.values[i, 1:])]}`)" for i in order)
    share = len(order) / len(matrix.sets)
    return Answer(
        next(words for most, words in SHARES if share <= most),
        f"By {CLOSE:g} points or more to the best of the trees on {len(order)} of {counted(len(matrix.sets), 'set')}: "
        f"{listed}.",
    )


def mean_ranks(cube: Cube) -> Answer | None:
    """Mean ranks, each kind of trees by its better variant over all sets."""
    better = better_variants(cube)
    matrix = cube.means([TABLE_SEARCH, *better.values()]).counted()
    return _ranked([f"`{name}`" for name in matrix.schemes], matrix.values)


def strict_ranks(cube: Cube) -> Answer | None:
    """Mean ranks, each kind of trees by its best variant on every set."""
    trees = {tree: names for tree in TREES if (names := variants(cube, tree))}
    matrix = cube.means([TABLE_SEARCH, *(name for names in trees.values() for name in names)]).counted()
    if not len(matrix.sets):
        return None
    columns = [matrix.column(TABLE_SEARCH)]
    columns += [np.max([matrix.column(name) for name in names], axis=0) for names in trees.values()]
    return _ranked([f"`{TABLE_SEARCH}`", *(f"the best {tree}" for tree in trees)], np.array(columns).T)


def _ranked(names: list[str], values: Array) -> Answer | None:
    if len(names) < 2 or len(values) < 2:
        return None
    mean, accuracy = ranks(values).mean(axis=0), values.mean(axis=0)
    order = np.argsort(mean, kind="stable")
    p = holm([signed_rank_test(values[:, 0] - values[:, k]) for k in range(1, len(names))])
    listed = ", ".join(f"{names[i]} {mean[i]:.2f} ({accuracy[i]:.2f} %)" for i in order)
    tests = ", ".join(f"{name} {one:.2g}" for name, one in zip(names[1:], p, strict=True))
    return Answer(
        names[order[0]],
        f"{names[order[0]]}. Mean ranks and accuracies over {counted(len(values), 'set')} that count: {listed}. Friedman's "
        f"test: p = {friedman(values):.2g}; Wilcoxon's against {names[0]}, Holm: {tests}.",
    )


def times(cube: Cube) -> Answer | None:
    """The time of the search beside that of a forest of 300 trees."""
    names = [TABLE_SEARCH, YARDSTICK, *((REFERENCE,) if REFERENCE in cube.kinds else ())]
    matrix = cube.means(names, "seconds", logarithm=True)
    if not len(matrix.sets):
        return None
    seconds = np.exp(matrix.values.mean(axis=0))
    ratio = np.exp(matrix.values[:, 0] - matrix.values[:, 1])
    worst = int(np.argmax(ratio))
    rest = f" Today's adaptive search of rbf alone: {seconds[2]:.2g} s." if len(names) > 2 else ""
    return Answer(
        "at most three times a forest" if seconds[0] <= 3 * seconds[1] else "more than three times a forest",
        f"{seconds[0] / seconds[1]:.2g} times a forest of 300 trees: {seconds[0]:.2g} s against {seconds[1]:.2g} s, geometric "
        f"means over {counted(len(matrix.sets), 'set')}; most on {matrix.sets[worst]}, {ratio[worst]:.2g} times.{rest}",
    )


def against_rbf(cube: Cube) -> Answer | None:
    """How the search compares with tuned rbf on the sets where rbf beats all trees."""
    better = better_variants(cube)
    if REFERENCE not in cube.kinds or not better:
        return None
    matrix = cube.means([TABLE_SEARCH, REFERENCE, *better.values()])
    best = matrix.values[:, 1] >= matrix.values.max(axis=1)
    loss = np.round((matrix.values[:, 1] - matrix.values[:, 0])[best], 9)
    if not len(loss):
        return Answer("rbf is best nowhere", "Tuned rbf is the best nowhere.")
    names = [name for name, one in zip(matrix.sets, best, strict=True) if one]
    over = {name: one for name, one in zip(names, loss, strict=True) if one > ALLOWED_LOSS}
    listed = ", ".join(f"{name} ({one:.1f})" for name, one in sorted(over.items(), key=lambda item: -item[1]))
    return Answer(
        "everywhere" if not over else "not everywhere",
        f"Tuned rbf is the best, or as good as the best, on {counted(len(names), 'set')}; there the search loses "
        f"{loss.mean():.2f} points on average, and more than {ALLOWED_LOSS:g} on {len(over)}{': ' + listed if listed else ''}.",
    )


# ------------------------------------------------------------------------- tables


def accuracy_table(cube: Cube) -> Table:
    """Accuracies of all schemes, and the times of the search and of the yardstick, set by set; the best in bold."""
    rows = []
    for name in by_name(cube):
        values = [_mean(cube, name, scheme, "accuracy") for scheme in cube.schemes]
        best = np.nanmax(values)
        cells = [NONE if np.isnan(v) else f"**{v:.2f}**" if v == best else f"{v:.2f}" for v in values]
        laps = [_mean(cube, name, scheme, "seconds") for scheme in (TABLE_SEARCH, YARDSTICK)]
        rows.append([name, *cells, *(NONE if np.isnan(lap) else f"{lap:.2g}" for lap in laps)])
    head = ["set", *(f"`{scheme}`" for scheme in cube.schemes), f"s, `{TABLE_SEARCH}`", f"s, `{YARDSTICK}`"]
    return Table("Accuracy in percent, mean over the splits", head, rows)


def chosen(cube: Cube) -> str:
    """How often each kernel, scaling and kind of weights was chosen."""
    found: dict[str, Counter[str]] = {}
    for (_, _, scheme), step in cube.steps.items():
        if scheme == TABLE_SEARCH:
            for name, value in step["parameters"].items():
                if name in ("kernel", "scaler", "feature_weights"):
                    found.setdefault(name, Counter())[str(value)] += 1
    return "\n".join(
        f"- {name}: {', '.join(f'{value} {n}' for value, n in counts.most_common())}" for name, counts in found.items()
    )


def _mean(cube: Cube, name: str, scheme: str, field: str) -> float:
    values = [cube.steps[at][field] for n in cube.splits if (at := (name, n, scheme)) in cube.steps]
    return float(np.mean(values)) if values else float("nan")


def _best(values: Array) -> int:
    return int(np.argmax(values))
