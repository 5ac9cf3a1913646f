"""A model in many files, so that no process has to hold it: rows of classes, and machines between them.

A folder that client and workers share holds

- ``model.dagmar``: what all machines have in common, the labels, and whether training is complete;
- ``rows-A.dagmar``: the training samples of class block A;
- ``machines-A-B-TOKEN.dagmar``: machines of pairs of a class of block A and one of block B, A <= B. All such files of A and B
  are a shard of the model.

The files have the container of model files: arrays and a header, nothing that is executed, written whole or not at all. A batch
whose worker is lost may be in two files. The machines are then the same, and one of them is used.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ..base.exceptions import CheckpointError, ModelFileError
from ..base.frozen import FrozenArrays
from ..base.pairs import n_pairs
from ..base.typing import Array, Index, Labels
from ..base.versions import running_version
from ..files import container
from ..files.kinds import Optional, Part, Plain, Rows, refuse
from ..files.parts import FLOAT, FLOATS, INT, KERNEL, LEARNED, PLACES, REPORT, SHORT_PLACES, TASKS, TRUTH
from ..files.saving import PARAMETERS
from ..machines.bank import Bank
from ..machines.checkpoint import check_lot, explain_differences
from ..machines.convergence import Unconverged
from ..machines.training import TrainedMachines, assemble
from ..problem.kernels import Kernel
from ..problem.making import Learned
from ..problem.per_pair import PerPair
from .blocks import ClassBlock
from .jobs import Shared

FORMAT = 1
MODEL = "model.dagmar"


@dataclass(frozen=True, eq=False)
class Description(FrozenArrays):
    """What ``model.dagmar`` says.

    Attributes
    ----------
    learned : Learned
    parameters : dict
        Of the `SVC`.
    class_start : ndarray of shape (n_classes + 1,)
        Where each class begins among the samples, sorted by class.
    begin : ndarray of shape (n_blocks + 1,)
        The first class of each block.
    kernel, centre, precision, kernel_error, double_error
        As in `Problem`.
    complete : bool
        Whether all machines are there.
    """

    learned: Learned
    parameters: dict[str, Any]
    class_start: Index
    begin: Index
    kernel: Kernel
    centre: Array | None
    precision: str
    kernel_error: float
    double_error: float
    complete: bool

    @property
    def n_blocks(self) -> int:
        """Number of class blocks."""
        return len(self.begin) - 1

    @property
    def shared(self) -> Shared:
        """What all machines have in common."""
        return Shared(self.kernel, self.centre, self.precision, self.kernel_error, self.double_error)


DESCRIPTION = Part(
    Description,
    learned=LEARNED,
    parameters=PARAMETERS,
    class_start=PLACES,
    begin=PLACES,
    kernel=KERNEL,
    centre=Optional(FLOATS),
    precision=Plain(str, ("single", "double")),
    kernel_error=FLOAT,
    double_error=FLOAT,
    complete=TRUTH,
)
BLOCK = Part(
    ClassBlock, first=INT, classes=PLACES, class_start=PLACES, X=Rows(), rows=PLACES, cap=FLOATS, weight=FLOATS
)
MACHINES = Part(
    TrainedMachines,
    tasks=TASKS,
    begin=PLACES,
    sample=SHORT_PLACES,
    coef=FLOATS,
    bias=FLOATS,
    report=REPORT,
    gammas=Optional(FLOATS),
)


# ---------------------------------------------------------------- files


def _write(path: Path, kind: Part, value: Any, **words: Any) -> None:
    arrays: container.Arrays = {}
    said = kind.write(value, "value", arrays)
    container.write(path, {"format": FORMAT, "dagmar": running_version(), **words, "value": said}, arrays)


def _read(path: Path, kind: Part) -> tuple[Any, dict[str, Any]]:
    try:
        header, arrays = container.read(path, mmap=True)
        if header.get("format") != FORMAT:
            raise refuse("format", f"must be {FORMAT}, not {header.get('format')!r}")
        return kind.read(header.get("value"), "value", arrays), header
    except (ValueError, TypeError, OverflowError) as error:
        raise ModelFileError(f"{str(path)!r} cannot be read: {error}") from error


def write_rows(block: ClassBlock, folder: str, a: int) -> None:
    """Write the samples of a class block, unless they are there."""
    path = Path(folder) / f"rows-{a}.dagmar"
    if not path.exists():
        _write(path, BLOCK, block)


def write_machines(machines: TrainedMachines, folder: str, begin: Index) -> None:
    """Write machines of pairs, a file for each two blocks.

    Parameters
    ----------
    machines : TrainedMachines
    folder : str
    begin : ndarray of shape (n_blocks + 1,)
        The first class of each block.
    """
    blocks = np.searchsorted(begin, machines.tasks.pairs, side="right") - 1
    for a, b in np.unique(blocks, axis=0).tolist():
        here = np.flatnonzero((blocks == [a, b]).all(axis=1))
        _write(Path(folder) / f"machines-{a}-{b}-{secrets.token_hex(8)}.dagmar", MACHINES, machines.select(here))


# ---------------------------------------------------------------- folder


class Shards:
    """The files of a model.

    Parameters
    ----------
    folder : str or path
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder).absolute()

    def claim(self, description: Description, problem: dict[str, str]) -> None:
        """Begin or continue a fit; raise CheckpointError if the folder has another one.

        Parameters
        ----------
        description : Description
        problem : dict
            The result of `dagmar.machines.checkpoint.identify`.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / MODEL
        if not path.exists():
            if any(self.folder.glob("machines-*.dagmar")):
                raise CheckpointError(f"{str(self.folder)!r} has machines, but no {MODEL}: name another folder")
            _write(path, DESCRIPTION, replace(description, complete=False), problem=problem)
            return
        there, header = _read(path, DESCRIPTION)
        known = header.get("problem")
        if known != problem or not np.array_equal(there.begin, description.begin):
            words = explain_differences(known if isinstance(known, dict) else {}, problem)
            raise CheckpointError(
                f"The folder {str(self.folder)!r} has another model. What differs: {words or 'the class blocks'}. Name another "
                "folder, or delete this one to begin anew."
            )

    def complete(self, description: Description, problem: dict[str, str]) -> None:
        """Say that all machines are there."""
        _write(self.folder / MODEL, DESCRIPTION, replace(description, complete=True), problem=problem)

    @cached_property
    def description(self) -> Description:
        """What ``model.dagmar`` says; raises ModelFileError if the model is not complete."""
        if not (self.folder / MODEL).exists():
            raise ModelFileError(f"{str(self.folder)!r} has no {MODEL}: it is not the folder of a model in shards")
        found: Description = _read(self.folder / MODEL, DESCRIPTION)[0]
        start, begin = found.class_start, found.begin
        n = len(found.learned.classes)
        fits = len(start) == n + 1 and start[0] == 0 and (np.diff(start) > 0).all()
        if not fits or len(begin) < 2 or begin[0] != 0 or begin[-1] != n or (np.diff(begin) <= 0).any():
            raise ModelFileError(
                f"{str(self.folder / MODEL)!r} cannot be read: its classes and blocks do not fit together"
            )
        if not found.complete:
            raise ModelFileError(
                f"the model in {str(self.folder)!r} is not complete: dagmar.dask.train_sharded continues, given the same data"
            )
        return found

    def files(self, a: int, b: int | str) -> list[Path]:
        """Return the files of machines between blocks a and b; "*" for every b."""
        return sorted(self.folder.glob(f"machines-{a}-{b}-*.dagmar"))

    def kept(self, a: int, labels: Labels) -> tuple[Index, list[Unconverged]]:
        """Return the pairs of the classes of block a with later ones whose machines are there.

        Returns
        -------
        pairs : ndarray of int64
            Their numbers in the order (0, 1), (0, 2), ...
        not_converged : list of Unconverged
            Those that did not converge.
        """
        found, not_converged = [np.zeros(0, dtype=np.int64)], []
        for path in self.files(a, "*"):
            machines = _read(path, MACHINES)[0]
            found.append(_numbers(machines.tasks.pairs, len(labels)))
            not_converged.append(unconverged(machines, labels))
        return np.unique(np.concatenate(found)), [lot for lot in not_converged if len(lot)]

    def rows(self, a: int) -> ClassBlock:
        """Return a class block; its arrays stay in the file until they are used."""
        block: ClassBlock = _read(self.folder / f"rows-{a}.dagmar", BLOCK)[0]
        classes = np.arange(*self.description.begin[a : a + 2])
        start = self.description.class_start[self.description.begin[a] : self.description.begin[a + 1] + 1]
        fits = np.array_equal(block.classes, classes) and np.array_equal(block.class_start, start - start[0])
        sizes = {len(block.rows), len(block.cap), len(block.weight), block.X.shape[0]}
        if not fits or block.first != start[0] or sizes != {int(start[-1] - start[0])}:
            raise ModelFileError(f"{str(self.folder / f'rows-{a}.dagmar')!r} cannot be read: it has other classes")
        return block

    def machines(self, a: int, b: int) -> TrainedMachines | None:
        """Return the machines between the classes of two blocks, in the order of pairs; None within a block of one class."""
        description = self.description
        n, n_samples = len(description.learned.classes), int(description.class_start[-1])
        parts = [_read(path, MACHINES)[0] for path in self.files(a, b)]
        for part, path in zip(parts, self.files(a, b), strict=True):
            try:
                check_lot(part, n_samples, part.gammas is not None)
                inside = np.searchsorted(description.begin, part.tasks.pairs, side="right") - 1
                if not part.tasks.pairwise or (inside != [a, b]).any():
                    raise ValueError("it has machines of other classes")
            except ValueError as error:
                raise ModelFileError(f"{str(path)!r} cannot be read: {error}") from error
        joined = TrainedMachines.join(parts) if parts else None
        number = np.zeros(0) if joined is None else _numbers(joined.tasks.pairs, n)
        _, first = np.unique(number, return_index=True)
        size_a, size_b = (int(description.begin[k + 1] - description.begin[k]) for k in (a, b))
        wanted = n_pairs(size_a) if a == b else size_a * size_b
        if len(first) != wanted:
            raise ModelFileError(
                f"{str(self.folder)!r} has {len(first)} of {wanted} machines between class blocks {a} and {b}; files are lost"
            )
        return None if joined is None else joined.select(first)

    def bank(self, blocks: Sequence[ClassBlock], machines: TrainedMachines) -> tuple[Bank, Index]:
        """Return the bank of machines between the classes of some blocks, and these classes.

        Its classes are numbered 0, 1, ... in the order of the blocks; its `support` are the rows of the training data.
        """
        classes = np.concatenate([block.classes for block in blocks])
        problem, places = self.description.shared.problem(blocks, classes, PerPair())
        own = np.searchsorted(classes, machines.tasks.classes).astype(np.int32)
        sample = np.searchsorted(places, machines.sample).astype(np.int32)
        local = replace(machines, tasks=replace(machines.tasks, classes=own), sample=sample)
        bank = assemble(problem, local)
        rows = np.concatenate([block.rows for block in blocks])
        return replace(bank, support=rows[bank.support]), classes


@lru_cache(maxsize=4)
def open_shards(folder: str, written: int) -> Shards:
    """Return the shards in a folder; `written` is when ``model.dagmar`` was, so that a changed model is read again."""
    return Shards(folder)


def unconverged(machines: TrainedMachines, labels: Labels) -> Unconverged:
    """Return the machines that did not converge, for a warning."""
    some = machines.select(np.flatnonzero(~machines.report.converged))
    return Unconverged.among(some.report, some.tasks, labels)


def _numbers(pairs: Index, n_classes: int) -> Index:
    """Return the number of each pair in the order (0, 1), (0, 2), ..."""
    i, j = pairs.T
    numbers: Index = i * n_classes - i * (i + 1) // 2 + j - i - 1
    return numbers
