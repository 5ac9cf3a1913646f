"""
Wrong labels
============

A part of the training labels is changed at random. A large C follows the wrong labels; a small C, or soft labels
from the neighbours, does not.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import dagmar

X, X_test, y, y_test = train_test_split(*load_digits(return_X_y=True), random_state=0)
rng = np.random.default_rng(0)
shares = [0, 0.1, 0.2, 0.3]
models = {
    "C=100": dagmar.SVC(C=100, gamma=0.001),
    "C=0.5": dagmar.SVC(C=0.5, gamma=0.001),
    "C=100, soft_labels=11": dagmar.SVC(C=100, gamma=0.001, soft_labels=11),
}
found = {name: [] for name in models}
for share in shares:
    wrong = y.copy()
    changed = rng.random(len(y)) < share
    wrong[changed] = (y[changed] + rng.integers(1, 10, size=changed.sum())) % 10
    for name, model in models.items():
        found[name].append(model.fit(X, wrong).score(X_test, y_test))
for name, scores in found.items():
    print(f"{name:22}", *(f"{score:.3f}" for score in scores))

# %%
figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
for name, scores in found.items():
    ax.plot(shares, scores, marker="o", label=name)
ax.set(xlabel="share of training labels that are wrong", ylabel="accuracy on right labels")
ax.legend()

# %%
# So choose C by cross-validation first; its folds have wrong labels, too, but the order of the values of C is
# hardly changed by that. Soft labels help where C must be large.
