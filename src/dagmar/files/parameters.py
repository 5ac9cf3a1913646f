"""Parameters of estimators and structures in a model file."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..structures import STRUCTURES, Structure
from .container import Arrays
from .kinds import Kind, Numbers, refuse

NUMBER_TYPES = (np.float64, np.float32, np.int64, np.int32, np.bool_)


class Value(Kind):
    """A value of a parameter: None, a number, a text, an array of numbers, or lists and dicts of these."""

    def write(self, value: Any, field: str, arrays: Arrays) -> Any:
        """Return the value as JSON can say it; what it cannot say becomes an object with one entry, its type."""
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, os.PathLike):
            value = os.fspath(value)
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"float": str(value)}
        if isinstance(value, np.ndarray):
            return {"array": Numbers(*NUMBER_TYPES, ndim=value.ndim).write(value, field, arrays)}
        if isinstance(value, dict):
            items = enumerate(value.items())
            return {"dict": [[self.write(v, f"{field}.{k}.{n}", arrays) for n, v in enumerate(kv)] for k, kv in items]}
        if isinstance(value, list | tuple | range):
            values = [self.write(v, f"{field}.{k}", arrays) for k, v in enumerate(value)]
            return {"tuple": values} if isinstance(value, tuple) else values
        what = "a function" if callable(value) else f"an object of type {type(value).__name__}"
        raise refuse(field, f"{what} cannot be written to a model file")

    def read(self, said: Any, field: str, arrays: Mapping[str, Any]) -> Any:
        """Return the value."""
        if said is None or isinstance(said, bool | int | float | str):
            return said
        if isinstance(said, list):
            return [self.read(v, f"{field}.{k}", arrays) for k, v in enumerate(said)]
        type_, of = next(iter(said.items())) if len(said) == 1 else ("", None)
        if type_ == "float" and of in ("inf", "-inf", "nan"):
            return float(of)
        if type_ == "tuple" and isinstance(of, list):
            return tuple(self.read(of, field, arrays))
        if type_ == "dict" and isinstance(of, list) and all(isinstance(kv, list) and len(kv) == 2 for kv in of):
            read = (self.read(kv, f"{field}.{k}", arrays) for k, kv in enumerate(of))
            try:
                return dict(map(tuple, read))
            except TypeError as error:  # a key that cannot be one
                raise refuse(field, str(error)) from error
        if type_ == "array" and of == field and field in arrays:
            return Numbers(*NUMBER_TYPES, ndim=arrays[field].ndim).read(of, field, arrays)
        raise refuse(field, "is no value of a parameter")


class Parameters(Kind):
    """All parameters of an object with scikit-learn's `get_params`.

    Parameters
    ----------
    names : tuple of str, optional
        The names that may occur.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names

    def write(self, value: Mapping[str, Any], field: str, arrays: Arrays) -> Any:
        """Return an object with an entry per parameter."""
        return {name: _kind_of(name).write(given, f"{field}.{name}", arrays) for name, given in value.items()}

    def read(self, said: Any, field: str, arrays: Mapping[str, Any]) -> Any:
        """Return a dict of parameters."""
        if not isinstance(said, dict) or not set(said) <= set(self.names):
            unknown = sorted(set(said) - set(self.names)) if isinstance(said, dict) else type(said).__name__
            raise refuse(field, f"must be parameters; unknown: {unknown}"[:300])
        return {name: _kind_of(name).read(given, f"{field}.{name}", arrays) for name, given in said.items()}


class StructureKind(Kind):
    """A structure of dagmar by its name and parameters, or only by its name."""

    def write(self, value: Any, field: str, arrays: Arrays) -> Any:
        """Return the name, or name and parameters of an object."""
        if isinstance(value, str):
            return value
        for name, class_ in STRUCTURES.items():
            if type(value) is class_:
                given = value.get_params(deep=False)
                return {"name": name, "parameters": Parameters(tuple(given)).write(given, f"{field}.{name}", arrays)}
        raise refuse(
            field,
            f"the structure {type(value).__name__} is not dagmar's own: a file cannot hold the code that it needs",
        )

    def read(self, said: Any, field: str, arrays: Mapping[str, Any]) -> Any:
        """Return the name or a structure."""
        if isinstance(said, str) and said in STRUCTURES:
            return said
        if not isinstance(said, dict) or set(said) != {"name", "parameters"} or said["name"] not in list(STRUCTURES):
            raise refuse(field, "must be a structure of dagmar")
        name, class_ = said["name"], STRUCTURES[said["name"]]
        names = tuple(class_().get_params(deep=False))
        made: Structure = class_(**Parameters(names).read(said["parameters"], f"{field}.{name}", arrays))
        return made


VALUE, STRUCTURE = Value(), StructureKind()


def _kind_of(name: str) -> Kind:
    return STRUCTURE if name == "structure" else VALUE
