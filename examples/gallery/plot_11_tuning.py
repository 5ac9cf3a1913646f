"""
Tuning C and gamma
==================

:class:`dagmar.SVCCV` shares kernel rows between all cells of a gamma. The adaptive search tries a part of a fine
grid.
"""

import time

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import dagmar

X, X_test, y, y_test = train_test_split(*load_digits(return_X_y=True), test_size=0.5, random_state=0)
Cs, gammas = [2.0**i for i in range(-4, 9)], [0.001 * 2.0**i for i in range(-5, 4)]

searches = {}
for search in ("grid", "adaptive"):
    begun = time.perf_counter()
    found = dagmar.SVCCV(Cs=Cs, gammas=gammas, cv=3, search=search, n_jobs=-1).fit(X, y)
    seconds = time.perf_counter() - begun
    searches[search] = found
    print(
        f"{search:9} {len(found.cv_results_['params']):4} cells in {seconds:.2f} s: {found.best_params_}, "
        f"cross-validated {found.best_score_:.4f}, on new rows {found.score(X_test, y_test):.4f}"
    )

# %%
# The best cell is outlined; cells that the adaptive search did not try are hatched.
figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
for ax, (name, found) in zip(axes, searches.items(), strict=True):
    dagmar.pictures.GridDisplay.from_estimator(found).plot(ax)
    ax.set_title(name)
