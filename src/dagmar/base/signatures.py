"""The signature that `help` shows above the docstring of a class with many parameters."""

from __future__ import annotations

from inspect import Parameter, Signature, signature
from typing import Any


class ShortSignature:
    """The main parameters of a class, as its ``__signature__``; ``**parameters`` stands for the others.

    `help` prints the signature before it says what the class is, so one with thirty parameters hides that. Whatever calls a
    class or copies it (scikit-learn, completion in notebooks) reads the signature of ``__init__``, which stays as it is.

    Parameters
    ----------
    *names : str
        The parameters shown, in the order of ``__init__``.

    Examples
    --------
    >>> from inspect import signature
    >>> from dagmar.base.signatures import ShortSignature
    >>> class Model:
    ...     __signature__ = ShortSignature("size")
    ...
    ...     def __init__(self, *, size: int = 3, colour: str = "red", shape: str = "round") -> None: ...
    >>> signature(Model)
    <Signature (*, size=3, **parameters)>
    """

    def __init__(self, *names: str) -> None:
        self._names = names

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self._of = owner

    def __get__(self, instance: object, owner: type[Any]) -> Signature:
        # A subclass with other parameters has a signature of its own; an instance is not called.
        if instance is not None or owner.__init__ is not self._of.__init__:
            raise AttributeError("__signature__")
        known = signature(owner.__init__).parameters
        shown = [known[name].replace(annotation=Parameter.empty) for name in self._names]
        return Signature([*shown, Parameter("parameters", Parameter.VAR_KEYWORD)])
