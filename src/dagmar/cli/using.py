"""The commands `predict`, `evaluate` and `explain`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import click
import numpy as np
import polars as pl

import dagmar

from ..base.writing import whole_file
from .columns import for_model, labels_like
from .errors import Failed, Misuse, check_folder
from .evaluation import evaluate as evaluate_rows
from .models import Loaded, read_model
from .reading import Rows, open_data
from .streams import is_standard, shown
from .tables import Ticker, note, plain, say_evaluation, say_json

PREDICTION = "prediction"


def predict(
    *,
    model: Path,
    data: Path,
    target: str | None,
    format_: str | None,
    out: Path | None,
    proba: bool,
    threads: int,
    as_json: bool,
    scheduler: str | None = None,
) -> None:
    """Write the predictions for all rows, chunk by chunk."""
    if out is not None and not is_standard(out):
        check_folder(out)
        for name, given in (("DATA", data), ("MODEL", model)):
            if out.is_file() and given.exists() and out.samefile(given):
                raise Misuse(f"--out {out} is {name} itself: name another file")
    loaded = read_model(model, threads)
    if proba and not loaded.has_probabilities:
        raise Failed(f"{shown(model)} has no probabilities: train it with --probability")
    with ExitStack() as stack:
        if scheduler is not None:
            from .clusters import frames_from_cluster

            frames = stack.enter_context(frames_from_cluster(scheduler, loaded, data, format_, target, proba))
        elif data.is_dir():
            raise Misuse(f"{data} is a folder; only predict --scheduler reads folders")
        else:
            source = open_data(data, format_)
            wanted = for_model(source, loaded, target)
            frames = (predictions(loaded, rows, proba) for rows in source.rows(wanted))
        _put(loaded, frames, out, as_json, heads_of(loaded, proba))


def _put(loaded: Loaded, frames: Iterator[pl.DataFrame], out: Path | None, as_json: bool, heads: list[str]) -> None:
    """Write predictions, whose columns have these names, to a file or to standard output."""
    if out is not None and not is_standard(out):
        with whole_file(out) as file:
            counts = _write(frames, heads, file)
        if as_json:
            say_json({"out": str(out), "rows": sum(counts.values()), "counts": _by_class(loaded, counts)})
        else:
            note(f"{sum(counts.values())} predictions are in {out}")
    elif as_json:
        every = list(frames)
        columns = pl.concat(every).to_dict(as_series=False) if every else {name: [] for name in heads}
        result: dict[str, Any] = {PREDICTION: columns.pop(PREDICTION)}
        say_json({**result, "probabilities": columns} if len(heads) > 1 else result)
    else:
        _write(frames, heads, sys.stdout.buffer)


def predictions(loaded: Loaded, rows: Rows, proba: bool) -> pl.DataFrame:
    """Return the predictions for some rows: a column of labels and, if wanted, one of probabilities for each class."""
    X, svc = loaded.scaled(rows.X), loaded.svc
    frame = pl.DataFrame({PREDICTION: pl.Series(plain(svc.predict(X)))})
    if not proba:
        return frame
    return frame.hstack(pl.DataFrame(np.asarray(svc.predict_proba(X)), schema=heads_of(loaded, proba)[1:]))


def heads_of(loaded: Loaded, proba: bool) -> list[str]:
    """Return the names of the columns of the predictions."""
    if not proba:
        return [PREDICTION]
    names = [str(label) for label in plain(loaded.svc.classes_)]
    # A class of the name "prediction" must not hide the predictions.
    return [PREDICTION, *(f"{name}_probability" if name == PREDICTION else name for name in names)]


def _write(frames: Iterator[pl.DataFrame], heads: list[str], file: BinaryIO) -> dict[Any, int]:
    """Write predictions as CSV; return how often each label was predicted."""
    counts: dict[Any, int] = {}
    head = True
    with Ticker("rows predicted") as ticker:
        for frame in frames:
            file.write(frame.write_csv(include_header=head).encode())
            head = False
            for label, n in frame[PREDICTION].value_counts().iter_rows():
                counts[label] = counts.get(label, 0) + n
            ticker.advance(len(frame))
    if head:
        file.write(pl.DataFrame(schema=heads).write_csv().encode())
    return counts


def _by_class(loaded: Loaded, counts: dict[Any, int]) -> list[dict[str, Any]]:
    return [{"label": label, "rows": counts.get(label, 0)} for label in plain(loaded.svc.classes_)]


def evaluate(*, model: Path, data: Path, target: str | None, format_: str | None, threads: int, as_json: bool) -> None:
    """Print how good a model is on labelled data."""
    loaded = read_model(model, threads)
    source = open_data(data, format_)
    result = evaluate_rows(loaded, source, for_model(source, loaded, target, needs_target=True))
    if not result["rows"]:
        raise Failed(f"{source.name} has no rows")
    if as_json:
        say_json(result)
    else:
        say_evaluation(result)


def explain(*, model: Path, data: Path, target: str | None, format_: str | None, row: int, as_json: bool) -> None:
    """Print how one row gets its class."""
    loaded = read_model(model)
    source = open_data(data, format_)
    wanted = for_model(source, loaded, target)
    if (target or loaded.target or source.default_target) in source.columns:  # then the label of the row is shown, too
        wanted = for_model(source, loaded, target, needs_target=True)
    found = source.row(wanted, row)
    explanation = dagmar.explain(loaded.model, found.X)
    text = str(explanation)
    label = None
    if found.y is not None and wanted.target is not None and not found.y.is_null().any():
        label = plain(labels_like(found.y, loaded.svc.classes_, wanted.target, row))[0]
    if as_json:
        about = explanation.to_dict()
        told = {"row": row, PREDICTION: about.pop("answer"), "label": label, "explanation": text.splitlines()}
        steps = about["steps"]
        path = {"machines": [step["machine"] for step in steps], "values": [step["value"] for step in steps]}
        say_json({**told, **path, **about})
        return
    click.echo(text)
    if label is not None:
        click.echo(f"Label in the data: {label}")
