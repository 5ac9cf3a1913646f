"""Checkpoints: finished machines are saved to disk during training, so that a fit that was stopped can continue.

A folder belongs to one training problem. It holds

- ``dagmar-checkpoint.json``: a description of the problem, entry by entry (fingerprints of the data, parameters). A fit of
  another problem raises an error that names the entries that differ.
- ``dagmar-<checksum>.npz``: lots of machines, as arrays without pickles. About one lot is written per second, fewer in a long
  fit. A file is named by the checksum of its bytes and holds the fingerprint of the whole problem.

Files are written under a temporary name and renamed when complete. A killed process therefore leaves only complete files, and
perhaps a temporary one that the next fit removes. Lots never change, so several fits can use one folder at the same time.
Machines are identified by their task: their classes and sides, in order. The task and the problem determine every bit of a
machine; the structure that asked for it does not matter.
"""

from __future__ import annotations

import io
import json
import os
import platform
import re
import secrets
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from importlib import import_module
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from types import NoneType, TracebackType, UnionType
from typing import Any, BinaryIO, Self, cast, get_args, get_type_hints

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from .. import _core
from ..base.exceptions import CheckpointError
from ..base.typing import Array, Features, Index
from ..problem.problem import Problem
from ..problem.reductions import by_blocks, is_sparse
from ..problem.tasks import Tasks
from .training import TrainedMachines, TrainSettings

# Without POSIX file locks, temporary files of killed processes are not removed.
fcntl: Any = import_module("fcntl") if os.name == "posix" else None

FORMAT = 2
MANIFEST = "dagmar-checkpoint.json"
LOT = re.compile(r"dagmar-([0-9a-f]{32})\.npz")
TEMPORARY = "dagmar-*.tmp"
PER_PAIR = "per pair"  # begins the entries of parameters that differ between pairs
# A lot is written when it has this many bytes, or after a hundredth of the time so far (at least a second, at most a minute).
SECONDS, SHARE, MOST_SECONDS, BYTES = 1.0, 0.01, 60.0, 2**25


# ----------------------------------------------------------------- identity of a problem


def identify(
    problem: Problem, C: float | ArrayLike, class_weight: Array, settings: TrainSettings, k: int | None
) -> dict[str, str]:
    """Describe everything except the task that determines the bits of a machine, as named entries.

    The entries have resolved values: gamma as a number, the precision that was chosen. Parameters that the kernel does not
    use are left out. So are threads and memory, which do not change a machine.

    Parameters
    ----------
    problem : Problem
    C : float or array-like of shape (n_pairs,)
    class_weight : ndarray of shape (n_classes,)
    settings : TrainSettings
    k : int or None
        Number of neighbours for soft labels.

    Returns
    -------
    dict
        Text by the name of the entry.
    """
    X, kernel = problem.X, problem.kernel
    # By blocks, so that rows on a cluster have the same fingerprint.
    fingerprint = "".join(by_blocks(X, _digest_rows))
    if len(fingerprint) > 32:
        fingerprint = digest(np.frombuffer(fingerprint.encode(), dtype=np.uint8))
    wide = settings.level != _core.Level.plain  # AVX2 and AVX-512 do the same operations in the same order
    derived = [np.array([problem.kernel_error]), *(a for a in (problem.centre, problem.codes) if a is not None)]
    return {
        "X": f"{X.shape[0]} x {X.shape[1]} {'sparse ' if is_sparse(X) else ''}{X.dtype} {fingerprint}",
        "y": digest(problem.order, problem.class_start),
        "sample_weight": digest(problem.weight),
        "class_weight": digest(class_weight),
        "C": f"{PER_PAIR} {digest(own_C)}"
        if (own_C := problem.per_pair.C) is not None
        else repr(float(cast(float, C))),
        "kernel": kernel.name,
        **{name: repr(getattr(kernel, name)) for name in kernel.parameters},
        **({} if (own_gamma := problem.per_pair.gamma) is None else {"gamma": f"{PER_PAIR} {digest(own_gamma)}"}),
        "tol": repr(float(settings.tol)),
        "max_iter": repr(int(settings.max_iter)),
        "precision": problem.precision,
        "soft_labels": repr(None if k is None else int(k)),
        "dagmar version": version("dagmar"),
        "arithmetic": f"{platform.machine()} {'wide' if wide else 'plain'} {digest(*derived)}",
    }


def digest(*arrays: Any) -> str:
    """Return a fingerprint of the types, shapes and bytes of arrays.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.machines.checkpoint import digest
    >>> digest(np.zeros(3)) == digest(np.zeros(3)), digest(np.zeros(3)) == digest(np.zeros(4))
    (True, False)
    """
    state = blake2b(digest_size=16)
    for array in arrays:
        state.update(f"{array.dtype.str}{array.shape}".encode())
        if array.size:
            state.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return state.hexdigest()


def _digest_rows(X: Features) -> str:
    """Return a fingerprint of samples, dense or sparse."""
    return digest(X.data, X.indices, X.indptr) if sp.issparse(X) else digest(X)


def explain_differences(there: Mapping[str, str], here: Mapping[str, str]) -> str:
    """Return a text of the entries of two problems that differ; "arithmetic" only if no other entry differs."""
    names = [name for name in {**here, **there} if there.get(name) != here.get(name)]
    told = [name for name in names if name != "arithmetic"] or names
    fingerprints = ("y", "sample_weight", "class_weight")

    def word(entries: Mapping[str, str], name: str) -> str:
        return entries.get(name, "not used")

    return "; ".join(
        name if name in fingerprints else f"{name} ({word(there, name)}, now {word(here, name)})" for name in told
    )


# ----------------------------------------------------------------- machines as arrays


def flatten(value: Any, prefix: str = "") -> dict[str, Any]:
    """Return the arrays of a dataclass, and of dataclasses inside it, by dotted names; None values are left out."""
    out: dict[str, Any] = {}
    for f in fields(value):
        part = getattr(value, f.name)
        if is_dataclass(part):
            out |= flatten(part, f"{prefix}{f.name}.")
        elif part is not None:
            out[prefix + f.name] = part
    return out


def rebuild(cls: Any, arrays: Mapping[str, Any], prefix: str = "") -> Any:
    """Make a dataclass from the arrays that `flatten` returned."""
    kinds = get_type_hints(cls)
    return cls(
        **{
            f.name: rebuild(kinds[f.name], arrays, f"{prefix}{f.name}.")
            if is_dataclass(kinds[f.name])
            else arrays.get(prefix + f.name)
            for f in fields(cls)
        }
    )


def check_lot(lot: TrainedMachines, n_samples: int | None, own_gammas: bool) -> None:
    """Raise ValueError unless the arrays of a lot fit together: a file may be whole and still not hold machines.

    Parameters
    ----------
    lot : TrainedMachines
    n_samples : int or None
        Number of training samples; None if it is not known.
    own_gammas : bool
        Whether every machine must have its own gamma.
    """
    _check_arrays(lot, optional=() if own_gammas else ("gammas",))
    n = len(lot.bias)
    _check_lists("tasks.begin", lot.tasks.begin, n, (lot.tasks.classes, lot.tasks.sides))
    _check_lists("begin", lot.begin, n, (lot.sample, lot.coef))
    if any(len(array) != n for name, array in flatten(lot.report).items()):
        raise ValueError("the report does not have one entry per machine")
    if (lot.gammas is not None) != own_gammas or (lot.gammas is not None and len(lot.gammas) != n):
        raise ValueError("gammas are not those of the machines")
    most = np.iinfo(np.int32).max if n_samples is None else n_samples
    if lot.sample.min(initial=0) < 0 or lot.sample.max(initial=-1) >= most:
        raise ValueError("a machine has samples that are not in the training data")
    first = np.zeros(len(lot.sample) + 1, dtype=bool)
    first[lot.begin] = True
    if not ((np.diff(lot.sample) > 0) | first[1:-1]).all():
        raise ValueError("the samples of a machine do not ascend")
    if not (np.isfinite(lot.coef).all() and np.isfinite(lot.bias).all()):
        raise ValueError("coefficients or biases are not finite")


def _check_arrays(value: Any, prefix: str = "", optional: Sequence[str] = ()) -> None:
    """Raise ValueError unless the fields of a dataclass are arrays of one dimension with the annotated type."""
    hints = get_type_hints(type(value))
    for name in (f.name for f in fields(value)):
        part, hint = getattr(value, name), hints[name]
        if is_dataclass(part):
            _check_arrays(part, f"{prefix}{name}.")
            continue
        if part is None and name in optional:
            continue
        (array,) = (
            kind for kind in (get_args(hint) if isinstance(hint, UnionType) else [hint]) if kind is not NoneType
        )
        dtype = np.dtype(get_args(get_args(array)[1])[0])
        if not isinstance(part, np.ndarray) or part.ndim != 1 or part.dtype != dtype:
            raise ValueError(f"{prefix}{name} is not an array of {dtype}")


def _check_lists(name: str, begin: Index, n: int, entries: Sequence[np.ndarray[Any, Any]]) -> None:
    """Raise ValueError unless `begin` divides arrays of equal length into n lists."""
    if len(begin) != n + 1 or begin[0] != 0 or (np.diff(begin) < 0).any() or any(len(e) != begin[-1] for e in entries):
        raise ValueError(f"{name} does not divide its arrays into one list per machine")


def _questions(tasks: Tasks) -> list[bytes]:
    """Return each task as bytes: its classes and sides, in their order, because the bits of a machine depend on that."""
    classes, sides, begin = tasks.classes, tasks.sides, tasks.begin.tolist()
    return [classes[a:b].tobytes() + sides[a:b].tobytes() for a, b in pairwise(begin)]


# ------------------------------------------------------------------------- the folder


class Checkpoint:
    """A folder of finished machines of one problem; a context that writes everything at its end.

    Parameters
    ----------
    folder : str or path
        It is made if it does not exist. Other files in it are not touched.
    problem : dict
        The result of `identify`.
    n_samples : int, optional
        Number of training samples; machines that name others are refused.

    Raises
    ------
    CheckpointError
        If the folder belongs to another problem, where the message names what differs, or if a file in it cannot be used.
    """

    def __init__(self, folder: str | os.PathLike[str], problem: dict[str, str], n_samples: int | None = None) -> None:
        self.folder = Path(folder)
        self._n_samples = n_samples
        self._own_gammas = problem.get("gamma", "").startswith(PER_PAIR)
        self._fingerprint = blake2b(json.dumps(problem, sort_keys=True).encode(), digest_size=16).hexdigest()
        self._pending: list[TrainedMachines] = []
        self._pending_bytes = 0
        self._begun = self._written = time.monotonic()
        self._complained = False
        if self.folder.exists() and not self.folder.is_dir():
            raise CheckpointError(f"checkpoint {str(self.folder)!r} is a file; a folder is wanted")
        self.folder.mkdir(parents=True, exist_ok=True)
        self._clean()
        self._claim(problem)
        self._known = self._load()
        self._place: dict[bytes, int] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.flush()

    # ------------------------------------------------------------ machines

    def find(self, tasks: Tasks) -> tuple[Index, list[TrainedMachines]]:
        """Return the indices in `tasks` of the machines in the checkpoint, and these machines: a list of one part, or none."""
        if self._known is None:
            return np.zeros(0, dtype=np.int64), []
        if self._place is None:
            self._place = {question: m for m, question in enumerate(_questions(self._known.tasks))}
        of_task = np.array([self._place.get(question, -1) for question in _questions(tasks)], dtype=np.int64)
        there = np.flatnonzero(of_task >= 0)
        return there, [self._known.select(of_task[there])] if len(there) else []

    def add(self, machines: TrainedMachines) -> None:
        """Add machines; they are written when there are enough of them or enough time has passed."""
        self._pending.append(machines)
        self._pending_bytes += machines.sample.nbytes + machines.coef.nbytes
        now = time.monotonic()
        patience = min(max(SECONDS, SHARE * (now - self._begun)), MOST_SECONDS)
        if now - self._written >= patience or self._pending_bytes >= BYTES:
            self.flush()

    def flush(self) -> None:
        """Write the machines that have not been written yet.

        If that fails, as on a full disk, warn once and try again later: training must not stop.
        """
        if not self._pending:
            return
        lot = TrainedMachines.join(self._pending)
        buffer = io.BytesIO()
        np.savez(buffer, problem=np.frombuffer(bytes.fromhex(self._fingerprint), np.uint8), **flatten(lot))
        content = buffer.getvalue()
        try:
            with self._temporary() as (file, name):
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
                if fcntl is None:
                    file.close()  # Windows renames no open file
                os.replace(name, self.folder / f"dagmar-{_checksum(content)}.npz")
        except OSError as error:
            if not self._complained:
                self._complained = True
                warnings.warn(
                    f"Training continues, but its machines cannot be kept in the checkpoint: {error}", stacklevel=2
                )
        else:
            self._pending = []
            self._pending_bytes = 0
        self._written = time.monotonic()

    # --------------------------------------------------------------- files

    @contextmanager
    def _temporary(self) -> Iterator[tuple[BinaryIO, Path]]:
        """Make a file in the folder, locked while it is written, and removed at the end unless it was renamed."""
        while True:
            path = self.folder / f"dagmar-{secrets.token_hex(8)}.tmp"
            try:
                with path.open("xb") as file:
                    if fcntl is not None:
                        fcntl.flock(file, fcntl.LOCK_EX)
                    if path.exists():  # otherwise another fit removed it before it was locked
                        yield file, path
                        return
            finally:
                path.unlink(missing_ok=True)

    def _clean(self) -> None:
        """Remove temporary files that no process has locked: their writer is dead."""
        if fcntl is None:
            return
        for path in self.folder.glob(TEMPORARY):
            try:
                with path.open("rb") as file:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    path.unlink()
            except OSError:  # being written, or just renamed
                continue

    def _claim(self, problem: dict[str, str]) -> None:
        """Write the problem into the folder; raise CheckpointError if the folder belongs to another problem."""
        path = self.folder / MANIFEST
        words = json.dumps({"format": FORMAT, "problem": problem}, indent=2) + "\n"
        if not path.exists():
            with self._temporary() as (file, name):
                file.write(words.encode())
                file.flush()
                os.fsync(file.fileno())
                try:
                    os.link(name, path)  # unlike renaming, this fails if another fit was faster
                except FileExistsError:
                    pass
                except OSError:  # a file system without links
                    if fcntl is None:
                        file.close()  # Windows renames no open file
                    os.replace(name, path)
        try:
            there = json.loads(path.read_text())
            known_format, there = there["format"], dict(there["problem"])
            if not isinstance(known_format, int) or not all(isinstance(word, str) for word in there.values()):
                raise TypeError("format must be a number, and the entries of problem must be texts")
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise CheckpointError(f"{str(path)!r} cannot be read: {error}. {self._advice()}") from error
        if known_format != FORMAT:
            raise CheckpointError(f"{str(path)!r} has format {known_format}, not {FORMAT}. {self._advice()}")
        if there != problem:
            raise CheckpointError(
                f"The checkpoint {str(self.folder)!r} is of another fit. What differs: "
                f"{explain_differences(there, problem)}. {self._advice()} A folder serves the fits of one problem. "
                "Cross-validation (cross_val_score, GridSearchCV) fits each clone on another part of the data, so it "
                "cannot use a checkpoint: set checkpoint=None there."
            )

    def _advice(self) -> str:
        return "Name another folder, or delete this one to begin anew."

    def _load(self) -> TrainedMachines | None:
        """Return all machines in the folder. A damaged file is removed with a warning; its machines are trained again."""
        parts = []
        for path in sorted(self.folder.iterdir()):
            name = LOT.fullmatch(path.name)
            if name is None:
                continue
            content = path.read_bytes()
            if _checksum(content) != name[1]:
                warnings.warn(f"{str(path)!r} is damaged: its machines are trained again", stacklevel=2)
                path.unlink(missing_ok=True)
                continue
            parts.append(self._read(path, content))
        return TrainedMachines.join(parts) if parts else None

    def _read(self, path: Path, content: bytes) -> TrainedMachines:
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
                if arrays["problem"].tobytes().hex() == self._fingerprint:
                    lot: TrainedMachines = rebuild(TrainedMachines, arrays)
                    check_lot(lot, self._n_samples, self._own_gammas)
                    return lot
        except Exception as error:  # whatever NumPy and zipfile raise for bytes that somebody else wrote
            raise CheckpointError(f"{str(path)!r} does not hold machines: {error}. {self._advice()}") from error
        raise CheckpointError(f"{str(path)!r} is of another fit. {self._advice()}")


def _checksum(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()
