"""`dagmar.save` and `dagmar.load`: fitted models as files."""

from __future__ import annotations

import os
from typing import Any

from sklearn.pipeline import Pipeline

from ..base.exceptions import ModelFileError
from ..base.parameters import SVC_CHECKS, check_parameters
from ..base.versions import running_version
from ..estimators.svc import SVC
from ..interop.outgoing import steps_of
from ..machines.bank import Bank
from ..tuning.svccv import SVCCV
from . import container
from .container import Arrays
from .kinds import refuse
from .parameters import Parameters
from .parts import MODEL, check_model
from .transformers import read_step, write_step

FORMAT = 1
PARAMETERS = Parameters(tuple(SVC().get_params(deep=False)))


def save(model: SVC | SVCCV | Pipeline, path: str | os.PathLike[str]) -> None:
    """Save a fitted model to a file, which `load` reads.

    The file has all numbers in full precision and nothing that can be executed. It is written aside, synced to the disk and
    renamed, so an older file of that name is replaced as a whole or not at all.

    Parameters
    ----------
    model : SVC, SVCCV or Pipeline
        A fitted `SVC` with any kernel but a callable, also one made by `from_sklearn` or `from_libsvm`. Of an `SVCCV`, its
        best estimator is saved. A `Pipeline` ends with one of these; its other steps may be `StandardScaler`, `MinMaxScaler`,
        `MaxAbsScaler`, `RobustScaler`, `SimpleImputer`, `dagmar.tuning.FeatureWeights` and "passthrough".
    path : str or path
        The file, by convention with the suffix ``.dagmar``.

    Raises
    ------
    ModelFileError
        If the model has something that a file cannot hold: a callable, a structure of one's own, other transformers, labels
        that are not str, int, float or bool.
    OSError
        If the file cannot be written. An older file of that name is then unchanged.

    See Also
    --------
    load : Read the file.

    Examples
    --------
    >>> import dagmar, tempfile, pathlib
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "iris.dagmar"
    >>> dagmar.save(dagmar.SVC(C=10).fit(X, y), path)
    >>> dagmar.load(path).predict(X[:1])
    array([0])
    """
    arrays: Arrays = {}
    header: dict[str, Any] = {"format": FORMAT, "dagmar": running_version(), "steps": []}
    try:
        *transformers, (name, svc) = steps_of(model)
    except TypeError as error:
        raise ModelFileError(str(error)) from error
    header["steps"] = [write_step(of, step, f"steps.{k}", arrays) for k, (of, step) in enumerate(transformers)]
    header["name"] = name
    fitted = svc._asked()
    if fitted.learned.function is not None:
        raise refuse("kernel", "a function cannot be written to a model file; use a pickle, or kernel='precomputed'")
    # A checkpoint and a cluster belong to the fit, and random_state has no effect.
    parameters = {name: getattr(svc, name) for name in SVC._get_param_names()}
    given = {**parameters, "checkpoint": None, "random_state": None}
    header["parameters"] = PARAMETERS.write(given, "parameters", arrays)
    header["model"] = MODEL.write(fitted, "model", arrays)
    container.write(path, header, arrays)


def load(path: str | os.PathLike[str], *, mmap: bool = False) -> SVC | Pipeline:
    """Read a model that `save` wrote.

    Everything in the file is checked, so a damaged file is an error that names what is wrong. No code in it is executed.

    Parameters
    ----------
    path : str or path
    mmap : bool, default=False
        Leave the arrays in the file, and read them from there on demand, so that many processes share their memory. The
        file must then not be changed in place while the model is in use: the operating system may end the process. (`save`
        never changes a file in place.)

    Returns
    -------
    SVC or Pipeline
        Fitted; its decisions are the same, bit for bit, as those of the model that was saved.

    Raises
    ------
    ModelFileError
        If the file is damaged, is not a model file, or has a later format.
    OSError
        If it cannot be read.

    See Also
    --------
    save : Write the file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "iris.dagmar"
    >>> dagmar.save(dagmar.SVC().fit(X, y), file)
    >>> dagmar.load(file).predict(X[:1])
    array([0])
    """
    try:
        header, arrays = container.read(path, mmap)
        return _read(header, arrays)
    except RecursionError as error:
        raise ModelFileError(f"{os.fspath(path)!r} cannot be read: its header is nested too deeply") from error
    except (ValueError, TypeError, OverflowError) as error:  # a ModelFileError names the field
        raise ModelFileError(f"{os.fspath(path)!r} cannot be read: {error}") from error


def _read(header: dict[str, Any], arrays: Arrays) -> SVC | Pipeline:
    known = header.get("format")
    if type(known) is not int or known < 1:
        raise refuse("format", "must be a whole number from 1 on")
    if known > FORMAT:
        raise refuse("format", f"{known} is later than {FORMAT}, the latest that this version reads: update dagmar")
    missing = {"name", "steps", "parameters", "model"} - set(header)
    if missing:
        raise ModelFileError(f"the header lacks {sorted(missing)}")
    model = MODEL.read(header["model"], "model", arrays)
    check_model(model, "model")
    given = PARAMETERS.read(header["parameters"], "parameters", arrays)
    svc = SVC(**given)
    try:
        check_parameters("SVC", {name: getattr(svc, name) for name in SVC_CHECKS}, SVC_CHECKS)
    except (ValueError, TypeError, OverflowError) as error:
        raise refuse("parameters", str(error)) from error
    kernel = model.bank_as(Bank).kernel.name
    if svc.kernel != kernel:
        raise refuse("parameters.kernel", f"must be {kernel!r}, as the machines have")
    svc._model = model
    if not header["steps"]:
        return svc
    if not isinstance(header["steps"], list) or not isinstance(header["name"], str):
        raise refuse("steps", "must be a list, and name a text")
    steps = [read_step(said, f"steps.{k}", arrays) for k, said in enumerate(header["steps"])]
    names = [*(name for name, _ in steps), header["name"]]
    if len(set(names)) != len(names) or any("__" in name for name in names):
        raise refuse("steps", "names must differ and have no '__'")
    return Pipeline([*steps, (header["name"], svc)])
