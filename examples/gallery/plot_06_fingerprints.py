"""
Fingerprints of molecules: the Tanimoto kernel
==============================================

A fingerprint is a set of bits, most of them 0. Two molecules are alike if they share bits: what they share, divided
by what they have together. That is the kernel "tanimoto", computed from bytes, floats or a sparse matrix, without a
kernel matrix in memory.
"""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import train_test_split

import dagmar

rng = np.random.default_rng(0)
n_rows, n_bits, n_kinds = 1500, 1024, 6
kind = rng.integers(n_kinds, size=n_rows)
skeleton = rng.random((n_kinds, n_bits)) < 0.02  # the bits that molecules of a kind tend to have
size = rng.uniform(0.2, 4, size=(n_rows, 1))  # large molecules have many other bits
bits = (skeleton[kind] & (rng.random((n_rows, n_bits)) < 0.3)) | (rng.random((n_rows, n_bits)) < 0.03 * size)
X, X_test, y, y_test = train_test_split(sp.csr_matrix(bits.astype(np.float32)), kind, random_state=0)

# %%
kernels = {"tanimoto": {}, "rbf": {"gamma": "scale"}, "linear": {}}
scores = {}
for kernel, more in kernels.items():
    scores[kernel] = max(dagmar.SVC(kernel=kernel, C=C, **more).fit(X, y).score(X_test, y_test) for C in (0.1, 1, 10))
print(scores)

# %%
# A molecule and its most similar support vectors.
clf = dagmar.SVC(kernel="tanimoto", C=10, structure="ddag").fit(X, y)
print(clf.explain(X_test[0]))

# %%
order = np.argsort(y_test, kind="stable")
alike = 1 - pairwise_distances(X_test[order].toarray().astype(bool), metric="jaccard")
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
left.imshow(alike, vmax=0.4, cmap="viridis")
left.set(title="Tanimoto similarity of test rows, by kind", xticks=[], yticks=[])
right.bar(list(scores), list(scores.values()))
right.set(ylim=(min(scores.values()) - 0.05, 1), ylabel="accuracy", title="best of three values of C")
