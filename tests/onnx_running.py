"""Running ONNX models with onnxruntime, after the checks of onnx."""

import numpy as np
import pytest

onnx, onnxruntime = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")


def run(model, X, names=None):
    """Check a model and return its outputs for samples of its own type; all outputs, or those with these names."""
    onnx.checker.check_model(model, full_check=True)
    return outputs_of(model, X, names)


def outputs_of(model, X, names=None):
    """Return the outputs without a check, which would require that the shapes of outputs are known."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    type_ = {onnx.TensorProto.FLOAT: np.float32, onnx.TensorProto.DOUBLE: np.float64}
    dtype = type_[model.graph.input[0].type.tensor_type.elem_type]
    return session.run(names, {"X": np.asarray(X, dtype=dtype)})


def with_values(model):
    """The same model with the values of its machines as another output."""
    model.graph.output.append(onnx.helper.make_empty_tensor_value_info("values"))
    values = model.graph.output[-1]
    values.type.tensor_type.elem_type = model.graph.input[0].type.tensor_type.elem_type
    return model


def run_graph(graph, X, **outputs):
    """Finish a graph whose input is "X", of the type of the graph; return its outputs, given by name with their types."""
    X = np.asarray(X)
    model = graph.model(
        {"X": (graph.dtype, ["n", X.shape[1]])}, {name: (type_, None) for name, type_ in outputs.items()}
    )
    return outputs_of(model, X)
