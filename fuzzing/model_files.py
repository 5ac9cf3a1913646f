"""Damaged model files: bytes, entries of the header, and arrays. A file is refused by name, or answers as its arrays do."""

from __future__ import annotations

import json
import pickle
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

from .cases import Outcome, refusal
from .models import BASES, NAMES, REAL, WHOLE, _ask, _damaged_array, _judge, base

# A value in the place of any other.
OTHERS: tuple[Any, ...] = (
    None,
    True,
    [],
    {},
    "",
    "x",
    [[[]]],
    {"kind": "graph"},
    {"float": "nan"},
    {"array": "x"},
    10**400,
)
# All that is asked about a model that was loaded, which must not fail any more. The kernel may be one whose values overflow.
ASKED = ("predict", "decision_path", "decision_function", "attributes", "decision_cost")


@cache
def saved(number: int) -> tuple[bytes, Any]:
    """Return a model file, with a scaler where the samples can be scaled, and samples to ask it about."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    import dagmar

    pickled, T = base(number)
    model = pickle.loads(pickled)
    if number % 3 == 1 and isinstance(T, np.ndarray) and model.kernel != "precomputed":
        model = make_pipeline(StandardScaler().fit(T), model)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.dagmar"
        dagmar.save(model, path)
        return path.read_bytes(), T


# --------------------------------------------------------------------------- cases


def make_case(rng: Generator) -> dict[str, Any]:
    """Return a random case: a model, how its file is damaged, and what is asked."""
    return {
        "base": int(rng.integers(len(BASES))),
        "how": str(rng.choice(["header", "arrays", "bytes"], p=[0.45, 0.4, 0.15])),
        "seed": int(rng.integers(2**31)),
        "mmap": bool(rng.random() < 0.3),
        "ask": str(rng.choice(ASKED)),
    }


def _entries(said: Any, path: str = "") -> list[tuple[Any, Any, str]]:
    """Return every entry below an object: the dict or list that holds it, its key, and its path."""
    out = []
    items = said.items() if isinstance(said, dict) else enumerate(said) if isinstance(said, list) else ()
    for key, value in items:
        out += [(said, key, f"{path}.{key}"), *_entries(value, f"{path}.{key}")]
    return out


def _damaged_header(rng: Generator, header: dict[str, Any]) -> str:
    holder, key, path = (entries := _entries(header))[int(rng.integers(len(entries)))]
    value, how = holder[key], int(rng.integers(5))
    if how == 0:
        del holder[key]
    elif how == 1 and isinstance(holder, dict):
        holder["more"] = value
    elif how == 2:
        other, other_key, _ = entries[int(rng.integers(len(entries)))]
        holder[key] = json.loads(json.dumps(other[other_key]))
    elif how == 3 or not isinstance(value, int | float | str):
        holder[key] = OTHERS[int(rng.integers(len(OTHERS)))]
    else:
        among = NAMES if isinstance(value, str) else WHOLE if isinstance(value, int) else REAL
        holder[key] = among[int(rng.integers(len(among)))]
    return f"{path} {how}"


def _damaged_bytes(rng: Generator, content: bytes) -> bytes:
    if rng.random() < 0.3:
        return content[: int(rng.integers(len(content)))]
    out = bytearray(content)
    for _ in range(int(rng.integers(1, 4))):
        # Most of the file is arrays; the header is as interesting.
        at = int(rng.integers(len(out) if rng.random() < 0.5 else min(len(out), 4000)))
        out[at] = int(rng.integers(256))
    return bytes(out)


# ----------------------------------------------------------------------------- run


def run_case(case: dict[str, Any]) -> Outcome:
    """Load a damaged file; it must be refused by a ModelFileError, or answer as its arrays do."""
    from safetensors.numpy import save_file
    from sklearn.pipeline import Pipeline

    import dagmar
    from dagmar.files import container

    rng = np.random.default_rng(case["seed"])
    content, T = saved(case["base"])
    done = "bytes"
    with warnings.catch_warnings(), np.errstate(all="ignore"), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        path = Path(folder) / "a.dagmar"
        path.write_bytes(content)
        if case["how"] == "bytes":
            path.write_bytes(_damaged_bytes(rng, content))
        else:
            header, arrays = container.read(path)
            if case["how"] == "header":
                done = _damaged_header(rng, header)
            else:
                name = sorted(arrays)[int(rng.integers(len(arrays)))]
                told, array = _damaged_array(rng, arrays[name])
                done = f"{name} {told}"
                if array.dtype.kind not in "fiub":
                    return Outcome("refused", "no array of a file")
                arrays[name] = np.ascontiguousarray(array)
            save_file(arrays, path, {"dagmar": json.dumps(header)})
        try:
            model = dagmar.load(path, mmap=case["mmap"])
        except (dagmar.ModelFileError, MemoryError) as error:
            return refusal(error, (dagmar.ModelFileError, MemoryError))
        except Exception as error:
            outcome = refusal(error, ())
            outcome.detail = f"{done}: load: {outcome.detail}"
            return outcome
        if isinstance(model, Pipeline):
            T, model = np.asarray(model[:-1].transform(T)), model[-1]
            T = np.where(np.isfinite(T), T, 0.0)  # a scaler may have become a division by zero
        try:
            outcome = _judge(model, T, case["ask"], _ask(model, T, case["ask"]))
        except Exception as error:
            # Values that overflow are an error of the samples, as for a fitted model.
            outcome = refusal(error, (ValueError,))
        outcome.detail = f"{done}: {case['ask']}: {outcome.detail}"
        return outcome
