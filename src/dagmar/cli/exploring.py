"""The command `explore`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

import click
import numpy as np
import polars as pl
import scipy.sparse as sp

import dagmar

from .columns import for_model, labels_like
from .errors import Failed, Misuse
from .models import read_model
from .reading import open_data
from .streams import check_result_is_alone, is_standard, path_for_output
from .streams import shown as name_of
from .tables import Ticker, say_json, size


def image_shape(text: str) -> tuple[int, int] | Literal["auto"] | None:
    """Return height and width from ``8x8``, "auto" from ``auto`` and None from ``none``.

    Examples
    --------
    >>> from dagmar.cli.exploring import image_shape
    >>> image_shape("28x28")
    (28, 28)
    """
    if text.strip().lower() == "auto":
        return "auto"
    if text.strip().lower() == "none":
        return None
    found = re.fullmatch(r"([1-9]\d{0,5})x([1-9]\d{0,5})", text.strip().lower())
    if found is None:
        raise Misuse(f"--image: {text!r} is no size of an image; write HEIGHTxWIDTH, such as 8x8, auto or none")
    return int(found[1]), int(found[2])


def explore(
    *,
    model: Path,
    data: Path,
    target: str | None,
    format_: str | None,
    out: Path,
    image: str,
    title: str | None,
    max_rows: int,
    threads: int,
    as_json: bool,
) -> None:
    """Write a page for the browser that shows how the rows get their classes."""
    shape = image_shape(image)
    check_result_is_alone(out, as_json)
    loaded = read_model(model, threads)
    source = open_data(data, format_)
    wanted = for_model(source, loaded, target)
    if (
        target or loaded.target or source.default_target
    ) in source.columns:  # then the labels of the rows are shown, too
        wanted = for_model(source, loaded, target, needs_target=True)
    samples: list[Any] = []
    labels: list[Any] = []
    with Ticker("rows read") as ticker:
        for rows in source.rows(wanted):
            samples.append(rows.X)
            if rows.y is not None and wanted.target is not None:
                labels.append(labels_like(rows.y, loaded.svc.classes_, wanted.target, rows.first))
            ticker.advance(rows.n_rows)
    if not sum(part.shape[0] for part in samples):
        raise Failed(f"{source.name} has no rows")
    X = _joined(samples)
    if isinstance(shape, tuple) and shape[0] * shape[1] != X.shape[1]:
        raise Misuse(f"--image {image}: {shape[0] * shape[1]} numbers, but rows have {X.shape[1]} features")
    y = np.concatenate(labels) if labels else None
    named = title if title is not None else f"{Path(name_of(model)).name}: {Path(source.name).name}"
    with path_for_output(out, ".html") as path:
        page = dagmar.explore(loaded.model, X, y, path, image=shape, title=named, max_rows=max_rows)
    if is_standard(out):
        return
    n_bytes = len(page.html.encode("utf-8"))
    if as_json:
        facts = {"rows": page.rows, "shown": page.shown, "accuracy": page.accuracy, "what_if": page.what_if}
        say_json({"out": str(out), **facts, "bytes": n_bytes})
        return
    shown = "" if page.shown == page.rows else f" of {page.rows}"
    accuracy = "" if page.accuracy is None else f", accuracy {page.accuracy:.4g}"
    click.echo(f"{out} ({size(n_bytes)}): {page.shown}{shown} rows{accuracy}; open it in a browser")


def _joined(parts: list[Any]) -> Any:
    """Return chunks of rows as one table of their kind."""
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], pl.DataFrame):
        return pl.concat(parts)
    return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)
