"""
ONNX: in a browser or another language
======================================

:func:`dagmar.to_onnx` writes a graph of standard operators. ONNX Runtime reads it from C#, C++, Java, Rust and
JavaScript; the labels are the same.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import onnxruntime
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import dagmar

X, y = load_digits(return_X_y=True)
model = make_pipeline(MinMaxScaler(), dagmar.SVC(C=10, structure="ddag", probability=True)).fit(X[:1000], y[:1000])
folder = Path(tempfile.mkdtemp())
dagmar.to_onnx(model, folder / "digits.onnx")
dagmar.to_onnx(model, folder / "digits32.onnx", dtype="float32")

# %%
session = onnxruntime.InferenceSession(folder / "digits32.onnx")
labels, probabilities = session.run(["label", "probabilities"], {"X": X[1000:].astype(np.float32)})
print("labels that differ:", int((labels != model.predict(X[1000:])).sum()), "of", len(labels))
print("largest difference of a probability:", f"{np.abs(probabilities - model.predict_proba(X[1000:])).max():.1e}")
for file in sorted(folder.iterdir()):
    print(file.name, f"{file.stat().st_size / 1024:.0f} kB")

# %%
# In a browser, with the file beside the page and ``onnxruntime-web``:
#
# .. code-block:: javascript
#
#    const session = await ort.InferenceSession.create("digits32.onnx");
#    const rows = new ort.Tensor("float32", Float32Array.from(pixels), [1, 64]);
#    const { label, probabilities } = await session.run({ X: rows });
#    console.log(label.data[0], probabilities.data);
#
# The scaler is part of the graph, so the program passes pixels as they are.
row = 1000 + int(np.argmin(np.sort(probabilities, axis=1)[:, -1]))
figure, (left, right) = plt.subplots(1, 2, figsize=(7, 2.6), width_ratios=[1, 2.5], layout="constrained")
left.imshow(X[row].reshape(8, 8), cmap="gray_r")
left.axis("off")
left.set_title(f"a {y[row]}")
right.bar(range(10), probabilities[row - 1000])
right.set_xticks(range(10))
right.set(xlabel="class", ylabel="probability", title="by ONNX Runtime, of the least certain image")
