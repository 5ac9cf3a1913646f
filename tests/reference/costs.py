"""What deciding costs, as Platt counts it: sets in plain Python."""


def vectors_of(bank, machine):
    """The support vectors of one machine."""
    return set(bank.index[bank.begin[machine] : bank.begin[machine + 1]].tolist())


def kernel_evaluations(bank, machines):
    """Distinct support vectors in the machines of a path."""
    return len(set().union(*(vectors_of(bank, m) for m in machines)))


def summed_vectors(bank, machines):
    """Support vectors added up over the machines of a path."""
    return sum(len(vectors_of(bank, m)) for m in machines)


def size_in_parameters(bank):
    """Stored feature values of the distinct vectors, nonzero coefficients, and one threshold per machine."""
    used = set().union(*(vectors_of(bank, m) for m in range(len(bank.bias))))
    n_features = bank.vectors.shape[1]
    return len(used) * n_features + len(bank.coef) + len(bank.bias)
