"""Distance between two classes in kernel space (Yu et al. 2011), by double loops. `k` is a function of two samples."""


def mean_similarity(k, A, B):
    """Mean of k(x, z) over all x in A and z in B, the diagonal too."""
    return sum(k(x, z) for x in A for z in B) / (len(A) * len(B))


def dbtc(k, A, B):
    """Squared distance of the means: S_aa + S_bb - 2 S_ab."""
    return mean_similarity(k, A, A) + mean_similarity(k, B, B) - 2 * mean_similarity(k, A, B)


def by_distances(k, A, B):
    """Equation 9, with the two halves that are missing in print."""

    def d(P, Q):
        return sum(k(x, x) + k(z, z) - 2 * k(x, z) for x in P for z in Q)

    return d(A, B) / (len(A) * len(B)) - d(A, A) / (2 * len(A) ** 2) - d(B, B) / (2 * len(B) ** 2)
