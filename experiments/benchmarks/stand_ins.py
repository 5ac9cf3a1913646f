"""Data from a seed, in the shape of public sets that the census lacks: faces, other images, genes, proteins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from .synthetic import SEED, spread_for

Labelled = tuple[NDArray[np.float64], NDArray[np.int64]]

# Images: what all of a class share, what changes from image to image in a few smooth ways, and noise.
LIGHTS = 9
NOISE = 0.5  # of the light's deviation

# DNA: letters around a place where a gene is spliced or is not.
POSITIONS, LETTERS = 60, 4
DNA_SHARES = (0.25, 0.25, 0.5)  # the last class is of places like any other
MOTIF = 2.5  # deviation of the logarithm of a letter's frequency in the middle
REACH = 8.0  # positions from the middle at which it has fallen by a factor of e

# Proteins: sizes of the classes, and how often the nearest true centre is right.
PROTEINS = (463, 429, 244, 163, 51, 44, 35, 30, 20, 5)
PROTEIN_FEATURES = 8
PROTEIN_CEILING = 0.6


def images(rows: int, side: int, classes: int, light: float) -> Labelled:
    """Square grey images, one smooth picture per class under changing light.

    Parameters
    ----------
    rows, side, classes : int
    light : float
        How much images of a class differ; their pictures have deviation 1.

    Returns
    -------
    X : ndarray of shape (rows, side * side)
    y : ndarray of shape (rows,)
    """
    rng = np.random.default_rng(SEED)

    def smooth(n: int) -> NDArray[np.float64]:
        fields = gaussian_filter(rng.normal(size=(n, side, side)), (0.0, side / 12, side / 12)).reshape(n, -1)
        scaled: NDArray[np.float64] = fields / fields.std(axis=1, keepdims=True)
        return scaled

    faces, lights = smooth(classes), smooth(LIGHTS)
    y = np.arange(rows) % classes
    change = rng.normal(size=(rows, LIGHTS)) @ lights + NOISE * rng.normal(size=(rows, side * side))
    return faces[y] + light * change, y


def dna(rows: int) -> Labelled:
    """Three classes of 60 letters, three binary features for each: near the middle, two classes prefer some letters.

    Parameters
    ----------
    rows : int

    Returns
    -------
    X : ndarray of shape (rows, 180)
    y : ndarray of shape (rows,)
    """
    rng = np.random.default_rng(SEED)
    classes = len(DNA_SHARES)
    strength = MOTIF * np.exp(-np.abs(np.arange(POSITIONS) - POSITIONS / 2) / REACH)
    preference = strength[:, None] * rng.normal(size=(classes, POSITIONS, LETTERS))
    preference[-1] = 0.0
    chances = np.exp(preference) / np.exp(preference).sum(axis=2, keepdims=True)
    y = rng.choice(classes, size=rows, p=DNA_SHARES)
    letters = (rng.random((rows, POSITIONS, 1)) > np.cumsum(chances, axis=2)[y][:, :, :-1]).sum(axis=2)
    bits = letters[:, :, None] == np.arange(LETTERS - 1)  # the last letter is all zeros
    return bits.reshape(rows, -1).astype(np.float64), y


def proteins() -> Labelled:
    """Ten overlapping clouds of very different sizes.

    Returns
    -------
    X : ndarray of shape (1484, 8)
    y : ndarray of shape (1484,)
    """
    rng = np.random.default_rng(SEED)
    y = np.repeat(np.arange(len(PROTEINS)), PROTEINS)
    centres = rng.normal(size=(len(PROTEINS), PROTEIN_FEATURES))
    noise = rng.normal(size=(len(y), PROTEIN_FEATURES))
    return centres[y] + spread_for(PROTEIN_CEILING, centres, noise, y) * noise, y
