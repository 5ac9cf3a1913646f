"""
A satellite tile
================

A tile of Sentinel-2 has 120 million pixels (10,980 × 10,980) of ten bands. People train on some thousand labelled
pixels and classify them all, which can take a night on a cluster. Here is a part of a tile, made from a seed, and
the time per pixel against scikit-learn.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
import sklearn.svm
from scipy.ndimage import gaussian_filter
from sklearn.preprocessing import StandardScaler

import dagmar

rng = np.random.default_rng(0)
side, bands, names = 400, 10, ["water", "forest", "crop", "meadow", "soil", "town", "road"]
# Smooth random fields; the largest says what grows there. Spectra are a mean per class, with light, mixing and noise.
fields = np.stack([gaussian_filter(rng.normal(size=(side, side)), 8) for _ in names])
truth = fields.argmax(axis=0)
spectra = rng.uniform(0.05, 0.5, size=(len(names), bands))
shares = np.stack([gaussian_filter((truth == i).astype(float), 0.7) for i in range(len(names))], axis=-1)
light = 1 + 0.1 * gaussian_filter(rng.normal(size=(side, side, 1)), (30, 30, 0)) * 30
tile = (shares @ spectra * light + 0.04 * rng.normal(size=(side, side, bands))).astype(np.float32)

pixels, labels = tile.reshape(-1, bands), truth.ravel()
some = rng.choice(len(pixels), 4000, replace=False)
scaler = StandardScaler().fit(pixels[some])

# %%
# Train on 4000 pixels, then classify the tile. scikit-learn gets 4000 pixels of it, as the rest would take long.
ours = dagmar.SVC(C=10, n_jobs=-1).fit(scaler.transform(pixels[some]), labels[some])
theirs = sklearn.svm.SVC(C=10).fit(scaler.transform(pixels[some]), labels[some])
scaled = scaler.transform(pixels)
begun = time.perf_counter()
mapped = ours.predict(scaled)
per_pixel = (time.perf_counter() - begun) / len(pixels)
begun = time.perf_counter()
part = theirs.predict(scaled[:4000])
their_pixel = (time.perf_counter() - begun) / 4000
tile_pixels = 10_980**2
print(
    f"dagmar: {1e6 * per_pixel:.2f} µs per pixel, {per_pixel * tile_pixels / 60:.1f} minutes for a tile on this machine"
)
print(f"scikit-learn: {1e6 * their_pixel:.1f} µs per pixel, {their_pixel * tile_pixels / 3600:.1f} hours")
print(
    f"accuracy {(mapped == labels).mean():.3f}; labels that differ from scikit-learn's: {(part != mapped[:4000]).sum()}"
)

# %%
figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained")
axes[0].imshow(np.clip(2 * tile[..., [2, 1, 0]], 0, 1))
axes[0].set_title("three of ten bands")
axes[1].imshow(truth, cmap="tab10", vmax=9, interpolation="nearest")
axes[1].set_title("what is there")
axes[2].imshow(mapped.reshape(side, side), cmap="tab10", vmax=9, interpolation="nearest")
axes[2].set_title("classified")
for ax in axes:
    ax.axis("off")

# %%
# A tile does not fit into memory as floats: read it in stripes, and call ``predict`` for each. The labels do not
# depend on the stripes.
