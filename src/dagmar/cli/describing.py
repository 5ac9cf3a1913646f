"""The commands `inspect` and `convert`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

import dagmar

from ..base.fitted_steps import weights_of
from .errors import Misuse, check_folder, listed
from .models import WRITERS, Loaded, is_libsvm, read_model, write_model
from .streams import as_file, check_result_is_alone, is_standard, shown
from .tables import facts, number, plain, say_json, size
from .training import structure_name


def inspect(*, model: Path, as_json: bool) -> None:
    """Print what is in a model file."""
    file = as_file(model)
    loaded = read_model(file)
    about = {**description(loaded, file), "file": shown(model)}
    if as_json:
        say_json(about)
        return
    given = ", ".join(f"{name}={value!r}" for name, value in about["parameters"].items())
    names = about["feature_names"]
    weights = about["feature_weights"]
    report = about["report"]
    facts(
        {
            "file": f"{about['file']} ({size(about['bytes'])})",
            "format": None if about["format"] is None else f"{about['format']}, written by dagmar {about['dagmar']}",
            "classes": f"{len(about['classes'])}: {listed(about['classes'])}",
            "target": about["target"],
            "features": f"{about['n_features']}{'' if names is None else ': ' + listed(names)}",
            "steps": ", ".join(about["steps"]) or None,
            "weights": None if weights is None else listed([f"{name} ({number(w)})" for name, w in weights.items()]),
            "structure": about["structure"],
            "kernel": about["kernel"],
            "parameters": given or "all have their defaults",
            "machines": f"{about['machines']}, {about['support_vectors']} support vectors, "
            f"{about['size_in_parameters'] / 1000:.1f} thousand parameters",
            "probabilities": "yes" if about["probabilities"] else "no",
            "training": None if report is None else f"{report['text']}",
        }
    )


def description(loaded: Loaded, path: Path) -> dict[str, Any]:
    """Return what is in a model file, as JSON can say it.

    Parameters
    ----------
    loaded : Loaded
    path : Path
        The file it was read from.

    Returns
    -------
    dict
    """
    svc, bank = loaded.svc, loaded.svc.bank_
    header = _header(path)
    usual = dagmar.SVC().get_params(deep=False)
    given = {name: value for name, value in svc.get_params(deep=False).items() if not _equal(value, usual[name])}
    report = getattr(svc, "report_", None)
    return {
        "file": str(path),
        "bytes": path.stat().st_size,
        "format": header.get("format"),
        "dagmar": header.get("dagmar"),
        "classes": plain(svc.classes_),
        "target": loaded.target,
        "n_features": loaded.n_features,
        "feature_names": loaded.names,
        "steps": [type(step).__name__ for _, step in loaded.steps],
        "feature_weights": _weights(loaded.model),
        "structure": structure_name(svc),
        "kernel": str(bank.kernel.name) + _numbers_of(bank.kernel),
        "parameters": {name: value if _is_plain(value) else str(value) for name, value in given.items()},
        "machines": int(bank.n_machines),
        "support_vectors": len(svc.support_),
        "size_in_parameters": int(bank.size_in_parameters),
        "probabilities": loaded.has_probabilities,
        "converged": bool(svc.fit_status_ == 0),
        "report": None if report is None else {"iterations": int(report.iterations.sum()), "text": str(report)},
    }


def _header(path: Path) -> dict[str, Any]:
    """Return the header of a model file; an empty one for other formats."""
    if is_libsvm(path):
        return {}
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as file:
        return dict(json.loads(file.metadata()["dagmar"]))


def _weights(model: Any) -> dict[str, float] | None:
    """Return the weight of each feature, the largest first; None if the model has no feature weights."""
    found = weights_of(model)
    return None if found is None else {found.names[k]: float(found.weights[k]) for k in found.largest().tolist()}


def _numbers_of(kernel: Any) -> str:
    return "".join(f", {name} {number(getattr(kernel, name))}" for name in kernel.parameters)


def _equal(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(a == b)


def _is_plain(value: Any) -> bool:
    return (
        value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and abs(value) < float("inf"))
    )


def convert(*, source: Path, out: Path, to: str | None, structure: str | None, dtype: str, as_json: bool) -> None:
    """Read a model in one format and write it in another."""
    kind = out.suffix.lower() if to is None else f".{to}"
    if kind not in WRITERS:
        raise Misuse(f"{out}: the suffix must be one of {', '.join(WRITERS)}; or name the format with --to")
    check_result_is_alone(out, as_json)
    check_folder(out)
    loaded = read_model(source, structure=structure)
    write_model(loaded, out, dtype, kind)
    if is_standard(out):
        return
    if as_json:
        say_json({"in": shown(source), "out": str(out), "bytes": out.stat().st_size})
    else:
        click.echo(f"{out} ({size(out.stat().st_size)})")
