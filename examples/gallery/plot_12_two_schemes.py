"""
Is one scheme better than the other?
====================================

Two schemes differ on some rows. McNemar's test says whether they differ by more than chance; a look at the splits
says whether it depends on the split.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import dagmar

X, y = load_digits(return_X_y=True)
names = ["max_wins", "ddag", "one_vs_rest", "divide_and_conquer"]
scores = {name: [] for name in names}
for split in range(8):
    X_fit, X_test, y_fit, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=split)
    base = dagmar.SVC(C=10, gamma=0.001).fit(X_fit, y_fit)
    for name in names:  # pairs are trained once; one-vs-rest trains its own ten machines
        scores[name].append(base.restructure(name, X_fit, y_fit).score(X_test, y_test))

# %%
# On the last split, row by row:
answers = {name: base.restructure(name, X_fit, y_fit).predict(X_test) for name in names}
for name in names[1:]:
    print(f"max_wins against {name}:", dagmar.mcnemar(y_test, answers["max_wins"], answers[name]))

# %%
figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
reference = np.array(scores["max_wins"])
for i, name in enumerate(names[1:]):
    difference = 100 * (np.array(scores[name]) - reference)
    ax.plot(difference, np.full(8, i) + np.linspace(-0.15, 0.15, 8), "o", alpha=0.7)
    ax.plot(difference.mean(), i, "k|", markersize=18)
ax.axvline(0, color="gray", linewidth=1)
ax.set(yticks=range(3), yticklabels=names[1:], xlabel="points of accuracy more than max_wins, one dot per split")
ax.invert_yaxis()

# %%
# ``python -m experiments compare --data yours.csv:target`` does this for all structures and for boosting and
# forests, with corrections for many tests: see "Choosing a scheme" in the guide.
