"""The signature that `help` shows above the docstring of a class with many parameters."""

from __future__ import annotations

from inspect import Parameter, Signature, signature
from typing import Any


class ShortSignature:
    """The parameters of a class, as its ``__signature__``; in print, ``**parameters`` stands for most of them.

    `help` prints the signature before it says what the class is, so one with thirty parameters hides that. Whatever calls a
    class or copies it (scikit-learn, completion in notebooks) asks the signature for its parameters, and gets all.

    Parameters
    ----------
    *names : str
        The parameters that are printed, in the order of ``__init__``.

    Examples
    --------
    >>> from inspect import signature
    >>> from dagmar.base.signatures import ShortSignature
    >>> class Model:
    ...     __signature__ = ShortSignature("size")
    ...
    ...     def __init__(self, *, size: int = 3, colour: str = "red", shape: str = "round") -> None: ...
    >>> print(signature(Model))
    (*, size=3, **parameters)
    >>> list(signature(Model).parameters)
    ['size', 'colour', 'shape']
    """

    def __init__(self, *names: str) -> None:
        self._names = names

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self._of = owner

    def __get__(self, instance: object, owner: type[Any]) -> Signature:
        # A subclass with other parameters has a signature of its own; an instance is not called.
        if instance is not None or owner.__init__ is not self._of.__init__:
            raise AttributeError("__signature__")
        _, *parameters = signature(owner.__init__).parameters.values()  # without self
        return _Printed(parameters).showing(self._names)


class _Printed(Signature):
    """A signature with all parameters, of which some are printed."""

    _words: str | None = None

    def showing(self, names: tuple[str, ...]) -> _Printed:
        """Print these only."""
        shown = [self.parameters[name].replace(annotation=Parameter.empty) for name in names]
        self._words = str(Signature([*shown, Parameter("parameters", Parameter.VAR_KEYWORD)]))
        return self

    def __str__(self) -> str:
        return super().__str__() if self._words is None else self._words

    def format(self, **more: Any) -> str:
        """What `help` prints since Python 3.13."""
        return str(self)
