"""What deciding costs, as Platt counts it: sets in plain Python."""


def vectors_of(bank, machine):
    """The support vectors of one machine."""
    return set(bank.index[bank.begin[machine] : bank.begin[machine + 1]].tolist())


def kernel_evaluations(bank, machines):
    """Distinct support vectors, each with the gamma it is used with, in the machines of a path."""

    def gamma_of(m):
        return bank.kernel.gamma if bank.gammas is None else bank.gammas[m]

    return len({(v, gamma_of(m)) for m in machines for v in vectors_of(bank, m)})


def summed_vectors(bank, machines):
    """Support vectors added up over the machines of a path."""
    return sum(len(vectors_of(bank, m)) for m in machines)


def size_in_parameters(bank):
    """Stored feature values of the distinct vectors, nonzero coefficients, and one threshold (and gamma) per machine."""
    used = set().union(*(vectors_of(bank, m) for m in range(len(bank.bias))))
    n_features = bank.vectors.shape[1]
    own_gammas = 0 if bank.gammas is None else len(bank.gammas)
    return len(used) * n_features + len(bank.coef) + len(bank.bias) + own_gammas
