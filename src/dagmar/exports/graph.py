"""An ONNX graph that is being built: operators and constants, named as they are added.

Only this module imports `onnx`, which is an optional part, and only when a graph is made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

# Operators as of 2021, which all runtimes have by now; and the version of the file format that goes with them.
OPSET, FILE_VERSION = 17, 8
# A model is one message of protobuf, which has less than 2 GiB; a part of that is for operators and names.
MOST_BYTES = 2**31 - 2**22


def load_onnx() -> Any:
    """Import `onnx`; say how to install it if it is missing."""
    try:
        import onnx
    except ImportError as error:
        raise ImportError("to_onnx needs the package onnx: pip install 'dagmar[onnx]'") from error
    return onnx


class Graph:
    """Operators and constants of a graph. Tensors are known by their names.

    Parameters
    ----------
    dtype : dtype
        float32 or float64: the type of samples and values.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.exports.graph import Graph
    >>> graph = Graph(np.float32)
    >>> graph.add("Mul", "X", graph.constant([2.0]))
    'Mul_2'
    >>> model = graph.model({"X": (np.float32, ["n"])}, {"Mul_2": (np.float32, ["n"])})
    >>> [node.op_type for node in model.graph.node]
    ['Mul']
    """

    def __init__(self, dtype: DTypeLike) -> None:
        self.onnx = load_onnx()
        self.dtype = np.dtype(dtype)
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._n_names = 0
        self._n_bytes = 0

    # ------------------------------------------------------------- constants

    def constant(self, values: Any, dtype: DTypeLike | None = None) -> str:
        """Add a constant.

        Parameters
        ----------
        values : array-like
            Numbers, truth values or texts. Floats get the type of the graph.
        dtype : dtype, optional
            Another type.

        Returns
        -------
        str

        Raises
        ------
        ValueError
            If the model would be too large, or if a number is too large for the type of the graph.
        """
        array = np.asarray(values)
        kind = array.dtype.kind
        if kind in "UO":
            texts = [str(text).encode() for text in array.ravel()]
            self._count(sum(map(len, texts)))
            tensor = self.onnx.helper.make_tensor(
                self._name("text"), self.onnx.TensorProto.STRING, list(array.shape), texts
            )
        else:
            with np.errstate(over="ignore"):
                array = array.astype(dtype or {"f": self.dtype, "b": np.bool_}.get(kind, np.int64))
            if kind == "f" and np.isinf(array).any():
                raise ValueError(f"the model has numbers that are too large for {array.dtype}; use dtype='float64'")
            self._count(array.nbytes)
            tensor = self.onnx.numpy_helper.from_array(np.asarray(array, order="C"), self._name("constant"))
        self._constants.append(tensor)
        return str(tensor.name)

    def check_room(self, n_bytes: int) -> None:
        """Raise ValueError if the model would be too large with this many bytes more."""
        if self._n_bytes + n_bytes > MOST_BYTES:
            raise ValueError(
                f"the model needs more than {MOST_BYTES / 2**30:.1f} GiB, and an ONNX model cannot be larger than 2 GiB"
            )

    def room_for(self, *shape: int) -> None:
        """The same for a matrix of floats."""
        self.check_room(self.dtype.itemsize * math.prod(map(int, shape)))

    def _count(self, n_bytes: int) -> None:
        self.check_room(n_bytes)
        self._n_bytes += n_bytes

    # ------------------------------------------------------------- operators

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add an operator and return the name of its output."""
        return self.add_several(operator, 1, *inputs, **attributes)[0]

    def add_several(self, operator: str, n_outputs: int, *inputs: str, **attributes: Any) -> list[str]:
        """Add an operator and return the names of its outputs."""
        base = self._name(operator)
        outputs = [base if k == 0 else f"{base}_{k}" for k in range(n_outputs)]
        self._nodes.append(self.onnx.helper.make_node(operator, list(inputs), outputs, **attributes))
        return outputs

    def name(self, tensor: str, name: str) -> str:
        """Give a tensor a name of one's choice."""
        self._nodes.append(self.onnx.helper.make_node("Identity", [tensor], [name]))
        return name

    def cast(self, tensor: str, dtype: DTypeLike) -> str:
        """Convert a tensor to another type."""
        return self.add("Cast", tensor, to=self._type(dtype))

    def repeated(self, row: Any, rows_of: str) -> str:
        """Repeat a row once for every row of a tensor; shape (n_rows, n_columns)."""
        row = np.asarray(row)
        n_rows = self.add("Shape", rows_of, start=0, end=1)
        shape = self.add("Concat", n_rows, self.constant([len(row)]), axis=0)
        return self.add("Expand", self.constant(row[None]), shape)

    def loop(self, n_times: int, step: Callable[..., Sequence[str]], *state: tuple[str, DTypeLike]) -> list[str]:
        """Repeat a step.

        Parameters
        ----------
        n_times : int
        step : callable
            ``step(number, *state)`` adds the operators of one step and returns the new state.
        *state : (str, dtype)
            The first state: tensors and their types.

        Returns
        -------
        list of str
            The last state.
        """
        helper, proto = self.onnx.helper, self.onnx.TensorProto
        number, go_on = self._name("step"), self._name("go_on")
        before = [self._name("state") for _ in state]
        outside, self._nodes = self._nodes, []
        after = [self.add("Identity", tensor) for tensor in step(number, *before)]
        still = self.add("Identity", go_on)
        inputs = [
            helper.make_tensor_value_info(number, proto.INT64, []),
            helper.make_tensor_value_info(go_on, proto.BOOL, []),
        ]
        types = [self._type(dtype) for _, dtype in state]
        inputs += [helper.make_tensor_value_info(name, type_, None) for name, type_ in zip(before, types, strict=True)]
        outputs = [helper.make_tensor_value_info(still, proto.BOOL, [])]
        outputs += [helper.make_tensor_value_info(name, type_, None) for name, type_ in zip(after, types, strict=True)]
        body = helper.make_graph(self._nodes, self._name("body"), inputs, outputs)
        self._nodes = outside
        first = [tensor for tensor, _ in state]
        return self.add_several("Loop", len(state), self.constant(n_times), self.constant(True), *first, body=body)

    # ----------------------------------------------------------------- model

    def model(
        self,
        inputs: dict[str, tuple[DTypeLike, list[Any]]],
        outputs: dict[str, tuple[DTypeLike, list[Any]]],
        facts: dict[str, str] | None = None,
        version: str = "",
    ) -> Any:
        """Return the finished model.

        Parameters
        ----------
        inputs, outputs : dict
            Type and shape by name; a text in a shape is a size that may vary.
        facts : dict of str to str, optional
            What the model says about itself.
        version : str
            Of dagmar.

        Returns
        -------
        onnx.ModelProto
        """
        helper = self.onnx.helper

        def infos(tensors: dict[str, tuple[DTypeLike, list[Any]]]) -> list[Any]:
            return [helper.make_tensor_value_info(n, self._type(t), shape) for n, (t, shape) in tensors.items()]

        graph = helper.make_graph(self._nodes, "dagmar", infos(inputs), infos(outputs), initializer=self._constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=FILE_VERSION)
        model.producer_name, model.producer_version = "dagmar", version
        helper.set_model_props(model, facts or {})
        return model

    def _type(self, dtype: DTypeLike) -> int:
        dtype = np.dtype(dtype)
        return int(self.onnx.helper.np_dtype_to_tensor_dtype(dtype if dtype.kind not in "UO" else np.dtype(object)))

    def _name(self, of: str) -> str:
        self._n_names += 1
        return f"{of}_{self._n_names}"
