"""Reader of LIBSVM model files.

A file has a header, with a name and its values in each line; the line "SV"; and one line per support vector, with its
coefficients against the other classes and its features as index:value. Everything in the file is checked. A ValueError names
the file, the line and what is wrong.
"""

from __future__ import annotations

import math
import os
import sys
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from operator import lt
from typing import Any, NoReturn, TextIO, TypeAlias

import numpy as np
import scipy.sparse as sp

from ..base.typing import Array, Features, Index

_TYPES = ("c_svc", "nu_svc")
_OTHER_TYPES = ("one_class", "epsilon_svr", "nu_svr")
# For each name of a kernel in LIBSVM: its name here, and the parameters it needs.
KERNELS = {
    "linear": ("linear", ()),
    "polynomial": ("poly", ("degree", "gamma", "coef0")),
    "rbf": ("rbf", ("gamma",)),
    "sigmoid": ("sigmoid", ("gamma", "coef0")),
    "precomputed": ("precomputed", ()),
}
_ONE_NUMBER = {"degree": int, "gamma": float, "coef0": float, "nr_class": int, "total_sv": int}
_NUMBERS = {"rho": float, "label": int, "nr_sv": int, "probA": float, "probB": float}
_IGNORED = ("prob_density_marks",)
_NEVER_NEGATIVE = ("degree", "gamma", "nr_class", "total_sv", "nr_sv")
_NEEDED = ("svm_type", "kernel_type", "nr_class", "total_sv", "rho", "label", "nr_sv")
_LARGEST_INT = 2**31 - 1
_DENSE_FROM = 0.25  # with at least this share of features set, use an array instead of a sparse matrix

_Vector: TypeAlias = tuple[list[float], list[int], list[float]]  # coefficients, indices and values


@dataclass(frozen=True, eq=False)
class ModelFile:
    """The content of a model file.

    Attributes
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}
    numbers : dict
        Those of the parameters `degree`, `gamma` and `coef0` that the kernel has.
    labels : ndarray of shape (n_classes,), int64
        The labels in the order of the file; vectors and pairs have the same order.
    rho : ndarray of shape (n_classes * (n_classes - 1) / 2,)
        Subtracted from the value of each pair; a positive value is for the earlier class.
    probA, probB : ndarray of shape (n_classes * (n_classes - 1) / 2,) or None
        The sigmoid of each pair, for the earlier class; None if the file has none.
    n_support : ndarray of shape (n_classes,), int64
        Number of support vectors of each class.
    dual_coef : ndarray of shape (n_classes - 1, n_vectors)
        Coefficients of the support vectors against the other classes.
    begin, index, value : ndarray
        Vector v has the features ``index[begin[v]:begin[v+1]]``, counted from 1, ascending. With a precomputed kernel it has
        a single feature with index 0, whose value is the number of a training sample, counted from 1.
    """

    kernel: str
    numbers: dict[str, Any]
    labels: Index
    rho: Array
    probA: Array | None
    probB: Array | None
    n_support: Index
    dual_coef: Array
    begin: Index
    index: Index
    value: Array

    @property
    def least_features(self) -> int:
        """The smallest number of features (with a precomputed kernel, of training samples) that fits the vectors."""
        numbers = self.value if self.kernel == "precomputed" else self.index
        return int(numbers.max(initial=1))

    def vectors(self, n_features: int) -> Features:
        """Return the support vectors as an array, or as a CSR matrix if less than a quarter of the features are set."""
        shape = (len(self.begin) - 1, n_features)
        rows = sp.csr_matrix((self.value, self.index - 1, self.begin), shape=shape)
        dense = len(self.value) >= _DENSE_FROM * math.prod(shape)
        return rows.toarray() if dense else rows


def read_model_file(path: str | os.PathLike[str]) -> ModelFile:
    """Read a model file of type c_svc or nu_svc.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    ModelFile
    """
    with open(path, encoding="ascii", errors="replace") as file:
        return _Reader(str(path), file).read()


class _Reader:
    """A file that is being read, and the current line."""

    def __init__(self, path: str, file: TextIO) -> None:
        self._path = path
        self._file = file
        self._line = 0
        self._header: dict[str, Any] = {}
        self._seen_at: dict[str, int] = {}

    def read(self) -> ModelFile:
        lines = self._lines()
        if not self._read_header(lines):
            self._wrong("the file ends before the line 'SV'")
        header = self._checked_header()
        kernel, needed = KERNELS[header["kernel_type"]]
        n_vectors, n_coef = header["total_sv"], header["nr_class"] - 1
        coef, index, value, begin = array("d"), array("q"), array("d"), array("q", [0])
        for line in lines:
            words = line.split()
            if not words:
                continue
            if len(begin) > n_vectors:
                self._wrong(f"there are more support vectors than the {n_vectors} of total_sv")
            if len(words) < n_coef or any(":" in word for word in words[:n_coef]):
                self._wrong(f"a support vector must begin with {n_coef} coefficients, one per other class")
            usual = None if kernel == "precomputed" else _usual(words, n_coef)
            vector_coef, vector_index, vector_value = usual or self._read_vector(words, n_coef, kernel)
            coef.extend(vector_coef)
            index.extend(vector_index)
            value.extend(vector_value)
            begin.append(len(index))
        if len(begin) <= n_vectors:
            self._wrong(f"the file ends after {len(begin) - 1} of {n_vectors} support vectors")
        return ModelFile(
            kernel=kernel,
            numbers={name: header[name] for name in needed},
            labels=np.array(header["label"], dtype=np.int64),
            rho=np.array(header["rho"]),
            probA=np.array(header["probA"]) if "probA" in header else None,
            probB=np.array(header["probB"]) if "probB" in header else None,
            n_support=np.array(header["nr_sv"], dtype=np.int64),
            dual_coef=np.ascontiguousarray(np.array(coef).reshape(n_vectors, n_coef).T),
            begin=np.array(begin),
            index=np.array(index),
            value=np.array(value),
        )

    def _lines(self) -> Iterator[str]:
        """Yield the lines and count them. LIBSVM ends every line with a line break, so a line without one was cut off."""
        for line in self._file:
            self._line += 1
            if not line.endswith("\n"):
                self._wrong("the last line has no line break, so the file was probably cut off")
            yield line

    def _wrong(self, what: str, line: int | None = None) -> NoReturn:
        raise ValueError(f"{self._path}, line {self._line if line is None else line}: {what}")

    def _read_header(self, lines: Iterator[str]) -> bool:
        """Read up to the line "SV"; return whether there is one."""
        for line in lines:
            name, *values = line.split() or [""]
            if name == "SV" and not values:
                return True
            if name in self._seen_at:
                self._wrong(f"{name!r} is given twice")
            if name and name not in _IGNORED:
                self._header[name] = self._entry(name, values)
            self._seen_at.update({name: self._line} if name else {})
        return False

    def _entry(self, name: str, values: list[str]) -> Any:
        if name in ("svm_type", "kernel_type", *_ONE_NUMBER) and len(values) != 1:
            self._wrong(f"{name!r} must have one value, not {len(values)}")
        if name == "svm_type":
            if values[0] in _OTHER_TYPES:
                self._wrong(f"a model of type {values[0]!r} is not a classifier; only {' and '.join(_TYPES)} are")
            return self._one_of(_TYPES, name, values[0])
        if name == "kernel_type":
            return self._one_of(tuple(KERNELS), name, values[0])
        kind = {**_ONE_NUMBER, **_NUMBERS}.get(name)
        if kind is None:
            self._wrong(f"{name[:40]!r} is not an entry of a LIBSVM model file")
        numbers = [self._number(value, kind) for value in values]
        if name in _NEVER_NEGATIVE and min(numbers, default=0) < 0:
            self._wrong(f"{name!r} must not be negative")
        return numbers[0] if name in _ONE_NUMBER else numbers

    def _one_of(self, options: tuple[str, ...], name: str, value: str) -> str:
        if value not in options:
            self._wrong(f"{name!r} must be one of {', '.join(options)}, not {value[:40]!r}")
        return value

    def _number(self, word: str, kind: type) -> Any:
        try:
            number = kind(word)
        except ValueError:
            number = math.nan
        limit = _LARGEST_INT if kind is int else sys.float_info.max
        if "_" in word or not abs(number) <= limit:  # Python would read 1_000
            self._wrong(f"{word[:40]!r} is not {'a whole number' if kind is int else 'a finite number'} in range")
        return number

    def _checked_header(self) -> dict[str, Any]:
        """Return the header; raise an error unless it is complete and its sizes agree."""
        header = self._header
        kernel = header.get("kernel_type")
        for name in (*_NEEDED, *(KERNELS[kernel][1] if kernel else ())):
            if name not in header:
                self._wrong(f"{name!r} is missing in the header")
        n = header["nr_class"]
        if n < 2:
            self._wrong("a classifier needs two classes or more", self._seen_at["nr_class"])
        n_pairs = n * (n - 1) // 2
        if ("probA" in header) != ("probB" in header):
            self._wrong("'probA' and 'probB' go together, but the header has only one of them")
        for name, size in (("rho", n_pairs), ("probA", n_pairs), ("probB", n_pairs), ("label", n), ("nr_sv", n)):
            if len(header.get(name, range(size))) != size:
                what = f"{name!r} must have {size} values for {n} classes, not {len(header[name])}"
                self._wrong(what, self._seen_at[name])
        if len(set(header["label"])) < n:
            self._wrong("a label is given twice", self._seen_at["label"])
        if sum(header["nr_sv"]) != header["total_sv"]:
            what = f"'nr_sv' adds up to {sum(header['nr_sv'])}, but total_sv is {header['total_sv']}"
            self._wrong(what, self._seen_at["nr_sv"])
        return header

    def _read_vector(self, words: list[str], n_coef: int, kernel: str) -> _Vector:
        """Read a support vector; an error says what is wrong with it."""
        coef = [self._number(word, float) for word in words[:n_coef]]
        index, value = [], []
        last = 0
        for word in words[n_coef:]:
            left, colon, right = word.partition(":")
            if not colon:
                self._wrong(f"{word[:40]!r} is not a feature of the form index:value")
            i, v = self._number(left, int), self._number(right, float)
            index.append(i)
            value.append(v)
            if kernel == "precomputed":
                continue
            if i <= last:
                self._wrong(f"indices of features must start at 1 and increase, but {i} comes after {last}")
            last = i
        if kernel == "precomputed" and not (index == [0] and 1 <= value[0] <= _LARGEST_INT and value[0] % 1 == 0):
            self._wrong(
                "with a precomputed kernel a support vector must be 0:number, with training samples counted from 1"
            )
        return coef, index, value


def _usual(words: list[str], n_coef: int) -> _Vector | None:
    """Read a support vector in the usual form, five times as fast; return None if its form is not usual."""
    features = words[n_coef:]
    text = " ".join(features)
    parts = text.replace(":", " ").split()
    if len(parts) != 2 * len(features) or any(word.count(":") != 1 for word in features) or "_" in text:
        return None
    try:
        coef, index, value = map(float, words[:n_coef]), map(int, parts[::2]), map(float, parts[1::2])
        out = list(coef), list(index), list(value)
    except ValueError:
        return None
    grows = all(map(lt, [0, *out[1]], [*out[1], _LARGEST_INT + 1]))
    finite = all(map(math.isfinite, out[0])) and all(map(math.isfinite, out[2]))
    return out if grows and finite and "_" not in "".join(words[:n_coef]) else None
