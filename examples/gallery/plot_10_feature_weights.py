"""
Feature weights
===============

A kernel gives all features the same say. Where most of them are noise, :class:`dagmar.tuning.FeatureWeights` learns
how much each should count.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dagmar

rng = np.random.default_rng(0)
moons, y = make_moons(600, noise=0.15, random_state=0)
X = np.hstack([moons, rng.normal(size=(600, 18))])  # 2 features that matter, 18 that do not
X, X_test, y, y_test = train_test_split(X, y, random_state=0)

plain = make_pipeline(StandardScaler(), dagmar.SVC(C=10)).fit(X, y)
weighted = make_pipeline(StandardScaler(), dagmar.tuning.FeatureWeights(svc=dagmar.SVC(C=10)), dagmar.SVC(C=10)).fit(
    X, y
)
print(f"plain {plain.score(X_test, y_test):.3f}, weighted {weighted.score(X_test, y_test):.3f}")

# %%
dagmar.pictures.FeatureWeightsDisplay.from_estimator(weighted, top=8).plot()

# %%
# The classes in the plane of the two features, as the weighted model sees them (the others at their mean).
grid = np.stack(np.meshgrid(np.linspace(-1.6, 2.6, 160), np.linspace(-1.1, 1.6, 120)), axis=-1)
plane = np.tile(X.mean(axis=0), (grid.size // 2, 1))
plane[:, :2] = grid.reshape(-1, 2)
figure, axes = plt.subplots(1, 2, figsize=(9, 3), sharey=True, layout="constrained")
for ax, (name, model) in zip(axes, {"plain": plain, "weighted": weighted}.items(), strict=True):
    ax.contourf(grid[..., 0], grid[..., 1], model.predict(plane).reshape(120, 160), alpha=0.3, levels=[-1, 0.5, 2])
    ax.scatter(*X_test[:, :2].T, c=y_test, s=10)
    ax.set_title(name)
