"""
A thousand classes
==================

1000 classes are 499,500 pairs. Each pair is small, so all of them train in seconds, and an answer asks about a
thousand.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import dagmar

rng = np.random.default_rng(0)
n_classes, per_class = 1000, 16
centres = rng.normal(size=(n_classes, 20))
y = np.repeat(np.arange(n_classes), per_class)
X = (centres[y] + 0.45 * rng.normal(size=(len(y), 20))).astype(np.float32)
y_test = rng.integers(n_classes, size=3000)
X_test = (centres[y_test] + 0.45 * rng.normal(size=(3000, 20))).astype(np.float32)

begun = time.perf_counter()
clf = dagmar.SVC(C=10, n_jobs=-1).fit(X, y)
seconds_of_all = time.perf_counter() - begun
begun = time.perf_counter()
accuracy = clf.score(X_test, y_test)
print(f"{clf.bank_.n_machines} machines in {seconds_of_all:.1f} s; accuracy {accuracy:.3f}")
print(f"{len(X_test)} answers in {time.perf_counter() - begun:.2f} s")

# %%
# A decision graph asks 999 machines. Max wins asks a few more, as it stops when the answer is known.
for name in ("max_wins", "ddag"):
    print(name, clf.restructure(name).decision_cost(X_test[:300]))

# %%
# Growth with the number of classes, at 16 rows each:
sizes, seconds = [50, 100, 200, 400], []
for n in sizes:
    begun = time.perf_counter()
    dagmar.SVC(C=10, n_jobs=-1).fit(X[: n * per_class], y[: n * per_class])
    seconds.append(time.perf_counter() - begun)
figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
ax.loglog([*sizes, n_classes], [*seconds, seconds_of_all], marker="o")
ax.set(xlabel="classes", ylabel="seconds of fit", title="20 times the classes, 400 times the pairs")
