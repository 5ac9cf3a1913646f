"""Kernels as their formulas are printed, and the value of a machine as its sum is."""

import numpy as np


def kernel_matrix(name, X, Z, gamma=1.0, coef0=0.0, degree=3):
    """k(x, z) for every x of X and z of Z."""
    X, Z = np.asarray(X, dtype=float), np.asarray(Z, dtype=float)
    if name == "rbf":
        differences = X[:, None, :] - Z[None, :, :]
        return np.exp(-gamma * (differences**2).sum(axis=2))
    if name == "laplacian":
        return np.exp(-gamma * np.abs(X[:, None, :] - Z[None, :, :]).sum(axis=2))
    if name == "chi2":
        differences, sums = X[:, None, :] - Z[None, :, :], X[:, None, :] + Z[None, :, :]
        return np.exp(-gamma * np.divide(differences**2, sums, out=np.zeros_like(sums), where=sums > 0).sum(axis=2))
    dots = X @ Z.T
    if name == "linear":
        return dots
    if name == "poly":
        return (gamma * dots + coef0) ** degree
    if name == "sigmoid":
        return np.tanh(gamma * dots + coef0)
    raise ValueError(name)


def machine_values(bank, X):
    """The value of every machine of a bank of dense vectors: sum of coef times kernel, plus bias."""
    k = bank.kernel
    centre = np.zeros(bank.vectors.shape[1]) if bank.centre is None else bank.centre
    K = kernel_matrix(k.name, X - centre, bank.vectors - centre, k.gamma, k.coef0, k.degree)
    values = np.empty((len(K), len(bank.bias)))
    for m in range(len(bank.bias)):
        here = slice(bank.begin[m], bank.begin[m + 1])
        if bank.gammas is not None:
            K = kernel_matrix(k.name, X, bank.vectors, bank.gammas[m])
        values[:, m] = K[:, bank.index[here]] @ bank.coef[here] + bank.bias[m]
    return values
