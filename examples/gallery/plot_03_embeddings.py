"""
Embeddings with 50 classes
==========================

The usual way to use a large network for a small task: take its embeddings, and train a classifier on them. Here 64
numbers per row are made from a seed, as two clouds per class on a curved sheet, so that a linear model is not enough.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

import dagmar

rng = np.random.default_rng(0)
n_classes, n_rows = 50, 5000
y = rng.integers(n_classes, size=n_rows)
centres = rng.normal(size=(2 * n_classes, 8))  # two clouds per class
hidden = centres[2 * y + rng.integers(2, size=n_rows)] + 0.5 * rng.normal(size=(n_rows, 8))
X = np.tanh(hidden @ rng.normal(size=(8, 64))) + 0.6 * rng.normal(size=(n_rows, 64))
X, X_test, y, y_test = train_test_split(X.astype(np.float32), y, random_state=0)

# %%
models = {
    "SVC, C=3": dagmar.SVC(C=3, n_jobs=-1),
    "15 neighbours": KNeighborsClassifier(15),
    "linear discriminant": LinearDiscriminantAnalysis(),
}
found = {}
for name, model in models.items():
    begun = time.perf_counter()
    model.fit(X, y)
    found[name] = time.perf_counter() - begun, model.score(X_test, y_test)
    print(f"{name:20} {found[name][1]:.3f} after {found[name][0]:.2f} s")

# %%
# 50 classes are 1225 machines. Where do they fail? The largest entries of the confusion matrix are neighbours in
# the hidden space.
clf = models["SVC, C=3"]
confusion = np.zeros((n_classes, n_classes), dtype=int)
np.add.at(confusion, (y_test, clf.predict(X_test)), 1)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.scatter(*zip(*found.values(), strict=True))
for name, (x, at) in found.items():
    left.annotate(name, (x, at), textcoords="offset points", xytext=(5, -4))
left.set(xlabel="seconds of fit", ylabel="accuracy", xscale="log", xlim=(0.5 * min(s for s, _ in found.values()), None))
left.margins(x=0.6)
right.imshow(np.log1p(confusion), cmap="Blues")
right.set(xlabel="predicted", ylabel="label", title="confusion (logarithm of counts)")
