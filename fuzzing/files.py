"""Damaged files: LIBSVM models, checkpoint folders, and pickles with another state."""

from __future__ import annotations

import io
import json
import pickle
import shutil
import tempfile
import warnings
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.random import Generator

from . import truth
from .cases import DAMAGE_ERRORS, Outcome, refusal
from .models import REAL, WHOLE, _damaged, _damaged_array, base, places

WORDS = ("nan", "inf", "-inf", "1e400", "-1", "0", "1:", ":1", "1:1:1", "0:1", "2147483647", "2147483648", "1_0", "0x1", "é",
         "SV", "c_svc", "nu_svr", "rbf", "precomputed", "label", "9" * 400, "-0", "1e-400", "3.7", "\x00",
         "2147483647:1")  # fmt: skip
NESTED = "[" * 20000 + "]" * 20000


# --------------------------------------------------------------------------- cases


def make_case(rng: Generator) -> dict[str, Any]:
    """Return a random case: the bytes of a LIBSVM file, or seeds for damage to a folder or pickle."""
    what = str(rng.choice(["libsvm", "checkpoint", "pickle"], p=[0.6, 0.25, 0.15]))
    if what == "libsvm":
        return {"what": what, "content": _mutated(rng, _libsvm_file(rng))}
    return {"what": what, "base": int(rng.integers(3)), "seed": int(rng.integers(2**31))}


def _libsvm_file(rng: Generator) -> bytes:
    """Return a valid model file with random machines."""
    n, d = int(rng.integers(2, 5)), int(rng.integers(1, 6))
    sizes = rng.integers(0, 4, size=n)
    kernel = str(rng.choice(["linear", "polynomial", "rbf", "sigmoid", "precomputed"]))
    lines = ["svm_type c_svc", f"kernel_type {kernel}"]
    if kernel == "polynomial":
        lines.append(f"degree {rng.integers(0, 6)}")
    if kernel in ("polynomial", "rbf", "sigmoid"):
        lines.append(f"gamma {rng.uniform(0, 2):.8g}")
    if kernel in ("polynomial", "sigmoid"):
        lines.append(f"coef0 {rng.normal():.8g}")
    lines += [f"nr_class {n}", f"total_sv {sizes.sum()}"]
    lines.append("rho " + " ".join(f"{v:.8g}" for v in rng.normal(size=n * (n - 1) // 2)))
    lines.append("label " + " ".join(map(str, rng.permutation(n) * 3)))
    lines += ["nr_sv " + " ".join(map(str, sizes)), "SV"]
    for row in range(sizes.sum()):
        coef = [f"{v:.8g}" for v in rng.normal(size=n - 1)]
        features = [f"{f + 1}:{rng.normal():.8g}" for f in range(d) if rng.random() < 0.7]
        lines.append(" ".join([*coef, *([f"0:{row + 1}"] if kernel == "precomputed" else features)]) + " ")
    return ("\n".join(lines) + "\n").encode()


def _mutated(rng: Generator, content: bytes) -> bytes:
    for _ in range(int(rng.choice([0, 1, 2, 5], p=[0.1, 0.5, 0.25, 0.15]))):
        lines = content.split(b"\n")
        k = int(rng.integers(len(lines)))
        words = lines[k].split(b" ")
        w = int(rng.integers(len(words)))
        how = int(rng.integers(9))
        if how == 0:
            words[w] = str(rng.choice(WORDS)).encode()
        elif how == 1:
            words.pop(w)
        elif how == 2:
            words.insert(w, words[int(rng.integers(len(words)))])
        elif how == 3:
            words[w] = str(rng.choice(WHOLE if rng.random() < 0.5 else REAL)).encode()
        elif how == 4 and b":" in words[w]:
            left, _, right = words[w].partition(b":")
            words[w] = str(rng.choice(WHOLE)).encode() + b":" + right if rng.random() < 0.5 else left + b":1e300"
        lines[k] = b" ".join(words)
        if how == 5:
            lines.pop(k)
        elif how == 6:
            lines.insert(k, lines[int(rng.integers(len(lines)))])
        content = b"\n".join(lines)
        if how == 7 and content:
            at = int(rng.integers(len(content)))
            content = content[:at] + bytes([int(rng.integers(256))]) + content[at + 1 :]
        elif how == 8:
            content = content[: int(rng.integers(len(content) + 1))]
    return content


# ----------------------------------------------------------------------------- run


def run_case(case: dict[str, Any]) -> Outcome:
    """Read a damaged file; what is read must be refused, or answer as its arrays do."""
    run = {"libsvm": _run_libsvm, "checkpoint": _run_checkpoint, "pickle": _run_pickle}[case["what"]]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        with tempfile.TemporaryDirectory() as folder:
            return run(case, Path(folder))


def _samples_for(clf: Any) -> Any:
    """Return samples of the width of a model, sparse if it is."""
    rng = np.random.default_rng(0)
    width = clf.n_features_in_
    if sp.issparse(clf.bank_.vectors):
        columns = np.minimum(rng.integers(0, min(width, 20), size=12), width - 1)
        return sp.csr_matrix((rng.normal(size=12), (np.arange(12) % 6, columns)), shape=(6, width))
    return rng.normal(size=(6, width)) if width < 10**5 else np.zeros((1, width))


def _compare(clf: Any, T: Any) -> Outcome:
    labels, model = clf.predict(T), clf._model
    tally = truth.check_labels(model.bank, model.plan, model.classes, clf._check(model, T), labels)
    if tally.wrong:
        return Outcome("wrong label", str(tally.wrong[0]), tally.counts())
    return Outcome("answered", "", tally.counts())


def _run_libsvm(case: dict[str, Any], folder: Path) -> Outcome:
    import dagmar

    path = folder / "a.model"
    path.write_bytes(case["content"])
    try:
        clf = dagmar.from_libsvm(path)
        return _compare(clf, _samples_for(clf))
    except Exception as error:
        return refusal(error, DAMAGE_ERRORS)


# --------------------------------------------------------------------- checkpoints


def _training(number: int) -> tuple[Any, Any, dict[str, Any]]:
    rng = np.random.default_rng(number)
    y = np.arange(30) % 3
    X = rng.normal(size=(3, 4))[y] + rng.normal(size=(30, 4))
    parameters: list[dict[str, Any]] = [
        {},
        {"kernel": "linear", "structure": "one_vs_rest"},
        {"gamma": [0.1, 0.2, 0.3]},
    ]
    return X, y, parameters[number]


@cache
def checkpoint(number: int) -> tuple[dict[str, bytes], bytes]:
    """Return the files of a checkpoint folder, and the coefficients of its fit."""
    import dagmar

    X, y, parameters = _training(number)
    with tempfile.TemporaryDirectory() as folder:
        clf = dagmar.SVC(checkpoint=folder, **parameters).fit(X, y)
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}, clf.bank_.coef.tobytes()


def _damaged_folder(rng: Generator, files: dict[str, bytes], folder: Path) -> tuple[str, bool]:
    """Write a damaged checkpoint; return what was done, and whether the numbers of a lot were changed under a good checksum."""
    manifest = next(name for name in files if name.endswith(".json"))
    lot = next(name for name in files if name.endswith(".npz"))
    how = str(rng.choice(["manifest", "manifest bytes", "lot bytes", "lot arrays", "lot name", "missing", "more"]))
    out, changed = dict(files), False
    if how == "manifest":
        told = json.loads(files[manifest])
        key = str(rng.choice(sorted(told)))
        value: Any = [None, [], {}, -1, 2, "text", "nested", 1e400][int(rng.integers(8))]
        told[key] = value
        text = json.dumps(told).replace('"nested"', NESTED)
        out[manifest] = text.encode()
    elif how in ("manifest bytes", "lot bytes"):
        name = manifest if how == "manifest bytes" else lot
        out[name] = (
            _mutated(rng, files[name]) if rng.random() < 0.5 else files[name][: int(rng.integers(len(files[name])))]
        )
        if how == "lot bytes" and rng.random() < 0.5:
            content = out.pop(lot)
            out[_lot_name(content)] = content
    elif how == "lot arrays":
        with np.load(io.BytesIO(files[lot])) as read:
            arrays = dict(read)
        key = str(rng.choice(sorted(arrays)))
        done, arrays[key] = _damaged_array(rng, arrays[key])
        if rng.random() < 0.1:
            del arrays[key]
        how, changed = f"{how} {key} {done}", True
        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=True, **arrays)
        out.pop(lot)
        out[_lot_name(buffer.getvalue())] = buffer.getvalue()
    elif how == "lot name":
        out["dagmar-" + "0" * 32 + ".npz"] = out.pop(lot)
    elif how == "missing":
        out.pop(manifest if rng.random() < 0.5 else lot)
    else:
        out["dagmar-x.tmp"], out["other.npz"] = b"x", files[lot]
    for name, content in out.items():
        (folder / name).write_bytes(content)
    return how, changed


def _lot_name(content: bytes) -> str:
    return f"dagmar-{blake2b(content, digest_size=16).hexdigest()}.npz"


def _run_checkpoint(case: dict[str, Any], folder: Path) -> Outcome:
    import dagmar

    files, coef = checkpoint(case["base"])
    X, y, parameters = _training(case["base"])
    how, changed = _damaged_folder(np.random.default_rng(case["seed"]), files, folder)
    try:
        clf = dagmar.SVC(checkpoint=folder, **parameters).fit(X, y)
        outcome = _compare(clf, X)
    except Exception as error:
        outcome = refusal(error, DAMAGE_ERRORS)
    else:
        if not changed and clf.bank_.coef.tobytes() != coef:
            outcome = Outcome("wrong label", "the fit differs from one without a checkpoint")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    outcome.detail = f"checkpoint, {how}: {outcome.detail}"
    return outcome


# ------------------------------------------------------------------------- pickles


class _State:
    """Pickles as an object of another class with a state of one's choice."""

    def __init__(self, cls: type[Any], state: dict[str, Any]) -> None:
        self.cls, self.state = cls, state

    def __reduce__(self) -> tuple[Any, ...]:
        return object.__new__, (self.cls,), self.state


def _run_pickle(case: dict[str, Any], folder: Path) -> Outcome:
    rng = np.random.default_rng(case["seed"])
    pickled, T = base(int(rng.integers(19)))
    done = "bytes"
    try:
        if rng.random() < 0.2:
            content = pickled[: int(rng.integers(len(pickled)))]
        else:
            clf = pickle.loads(pickled)
            there = [
                (h, n, p)
                for h, n, p in places(clf._model)
                if hasattr(getattr(h, n), "__getstate__") and hasattr(getattr(h, n), "__dataclass_fields__")
            ]
            holder, name, path = there[int(rng.integers(len(there)))]
            part = getattr(holder, name)
            state = dict(part.__getstate__() or {})
            key = str(rng.choice(sorted(state)))
            how = int(rng.integers(3))
            if how == 0:
                del state[key]
            elif how == 1:
                state["more"] = 1
            else:
                _, state[key] = _damaged(rng, state[key])
            object.__setattr__(holder, name, _State(type(part), state))
            done = f"{path}.{key} {['missing', 'and more', 'damaged'][how]}"
            content = pickle.dumps(clf)
        (folder / "a.pickle").write_bytes(content)
        clf = pickle.loads((folder / "a.pickle").read_bytes())
        answer = clf.predict(T)
    except Exception as error:
        outcome = refusal(error, (*DAMAGE_ERRORS, pickle.UnpicklingError))
    else:
        from .models import _judge

        outcome = _judge(clf, T, "predict", answer)
    outcome.detail = f"pickle, {done}: {outcome.detail}"
    return outcome
