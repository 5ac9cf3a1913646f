"""Fitted models as ONNX graphs."""
