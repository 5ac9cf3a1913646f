"""
Imbalanced classes
==================

Nine of ten rows are of one class. Accuracy does not show what happens to the others; recall does, class by class.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.metrics import balanced_accuracy_score, recall_score
from sklearn.model_selection import train_test_split

import dagmar

X, y = make_classification(
    6000,
    10,
    n_informative=6,
    n_classes=4,
    n_clusters_per_class=1,
    weights=[0.9, 0.05, 0.03, 0.02],
    class_sep=0.8,
    random_state=0,
)
X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
print(np.bincount(y))

# %%
# ``class_weight="balanced"`` multiplies C of each class by its rarity. With a search, choose by a score that counts
# classes alike.
models = {
    "plain": dagmar.SVC().fit(X, y),
    "balanced": dagmar.SVC(class_weight="balanced").fit(X, y),
    "balanced, searched": dagmar.SVCCV(
        Cs=[2.0**i for i in range(-6, 5, 2)],
        gammas=[0.02, 0.05, 0.1, 0.2, 0.4],
        class_weight="balanced",
        scoring="balanced_accuracy",
        cv=3,
        n_jobs=-1,
    ).fit(X, y),
}
recalls = {}
for name, model in models.items():
    answers = model.predict(X_test)
    recalls[name] = recall_score(y_test, answers, average=None)
    print(
        f"{name:20} accuracy {np.mean(answers == y_test):.3f}, balanced {balanced_accuracy_score(y_test, answers):.3f}"
    )

# %%
figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
for i, (name, recall) in enumerate(recalls.items()):
    ax.bar(np.arange(4) + 0.27 * (i - 1), recall, 0.25, label=name)
shares = np.bincount(y_test) / len(y_test)
ax.set_xticks(range(4), [f"class {i}\n{share:.0%} of rows" for i, share in enumerate(shares)])
ax.set(ylabel="recall", ylim=(0, 1.25))
ax.legend(ncols=3, loc="upper center")
