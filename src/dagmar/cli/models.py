"""Model files of the command: reading, writing and converting them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import scipy.sparse as sp
from sklearn.pipeline import Pipeline

import dagmar

from ..base.writing import write_whole
from .errors import Failed, Misuse
from .streams import as_file, path_for_output


class Loaded:
    """A fitted model, an `SVC` or a Pipeline that ends with one, and what the command asks of it.

    Parameters
    ----------
    model : SVC or Pipeline
    threads : int, optional
        Threads for predictions; by default as the model says.

    Attributes
    ----------
    model : SVC or Pipeline
    svc : SVC
        The model, or the last step of the Pipeline.
    """

    def __init__(self, model: Any, threads: int | None = None) -> None:
        self.model = model
        self.svc = model.steps[-1][1] if isinstance(model, Pipeline) else model
        if threads is not None:
            self.svc.set_params(n_jobs=threads)

    @property
    def steps(self) -> list[tuple[str, Any]]:
        """The steps before the classifier."""
        return list(self.model.steps[:-1]) if isinstance(self.model, Pipeline) else []

    @property
    def names(self) -> list[str] | None:
        """Names of the features, if they are known."""
        known = getattr(self.model, "feature_names_in_", None)
        return None if known is None else [str(name) for name in known]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.model.n_features_in_)

    @property
    def target(self) -> str | None:
        """The column that the model was trained on, if it is known."""
        return getattr(self.svc, "target_name_", None)

    @property
    def sparse(self) -> bool:
        """Whether the support vectors are sparse; then samples may be sparse."""
        return bool(sp.issparse(self.svc.support_vectors_))

    @property
    def fills_missing(self) -> bool:
        """Whether a step fills missing values in."""
        return any(type(step).__name__ == "SimpleImputer" for _, step in self.steps)

    @property
    def has_probabilities(self) -> bool:
        """Whether it can compute probabilities."""
        return bool(self.svc.probability) and len(self.svc.probA_) > 0

    def scaled(self, X: Any) -> Any:
        """Return samples as the classifier takes them: after the steps before it."""
        return self.model[:-1].transform(X) if self.steps else X


def read_model(path: Path, threads: int | None = None, structure: str | None = None) -> Loaded:
    """Read a model: LIBSVM's text, or a model file of dagmar.

    Parameters
    ----------
    path : Path
        A stream is copied first: see `as_file`.
    threads : int, optional
        Threads for predictions.
    structure : str, optional
        Consult the machines by this structure.

    Returns
    -------
    Loaded
    """
    if path.suffix.lower() == ".onnx":
        raise Misuse(f"{path}: ONNX files can be written, but not read")
    path = as_file(path)
    if is_libsvm(path):
        return Loaded(dagmar.from_libsvm(path, structure=structure or "max_wins"), threads)
    loaded = Loaded(dagmar.load(path), threads)
    if structure is not None:
        try:
            svc = loaded.svc.restructure(structure)
        except ValueError as error:
            reason = str(error).split(". ")[0]
            raise Failed(
                f"{path} does not have what {structure} needs: train a model with --structure {structure} ({reason})"
            ) from error
        model = Pipeline([*loaded.steps, (loaded.model.steps[-1][0], svc)]) if loaded.steps else svc
        loaded = Loaded(model, threads)
    return loaded


def is_libsvm(path: Path) -> bool:
    """Return whether a model is LIBSVM's text: its suffix is ``.model``, or it has none and begins like such a text."""
    if path.suffix:
        return path.suffix.lower() == ".model"
    with path.open("rb") as file:
        return file.read(8) == b"svm_type"


def _write_onnx(loaded: Loaded, path: Path, dtype: str) -> None:
    proto = dagmar.to_onnx(loaded.model, dtype=dtype)
    write_whole(path, proto.SerializeToString())


def _write_libsvm(loaded: Loaded, path: Path, dtype: str) -> None:
    if loaded.steps:
        names = ", ".join(type(step).__name__ for _, step in loaded.steps)
        raise Failed(f"LIBSVM's text has no place for {names}: train with --scale none, or convert to ONNX")
    svc = loaded.svc
    if len(svc.classes_) > 2 and not isinstance(svc.structure_, dagmar.MaxWins):
        raise Failed(
            f"LIBSVM consults all pairs by max_wins, but this model has the structure {svc.structure_!r}. "
            "If the labels of max_wins will do: --structure max_wins"
        )
    dagmar.to_libsvm(svc, path)


def _write_dagmar(loaded: Loaded, path: Path, dtype: str) -> None:
    dagmar.save(loaded.model, path)


WRITERS: dict[str, Callable[[Loaded, Path, str], None]] = {
    ".dagmar": _write_dagmar,
    ".onnx": _write_onnx,
    ".model": _write_libsvm,
}


def write_model(loaded: Loaded, path: Path, dtype: str = "float64", kind: str | None = None) -> None:
    """Write a model.

    Parameters
    ----------
    loaded : Loaded
    path : Path
        With the suffix ``.dagmar``, ``.onnx`` or ``.model`` (LIBSVM's text); or ``-`` for standard output.
    dtype : str
        Type of the numbers in ONNX: "float64" or "float32".
    kind : str, optional
        The suffix to go by, if the path has another or none.
    """
    writer = WRITERS.get(kind or path.suffix.lower())
    if writer is None:
        raise Misuse(f"{path}: the suffix must be one of {', '.join(WRITERS)}")
    with path_for_output(path, kind or path.suffix) as written:
        writer(loaded, written, dtype)
