"""
Digits, with images along the path
==================================

A decision graph answers with a list of duels. Each was decided by training images: here they stand beside the image
that they judged.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import dagmar

X, X_test, y, y_test = train_test_split(*load_digits(return_X_y=True), random_state=0)
clf = dagmar.SVC(C=10, gamma=0.001, structure="ddag").fit(X, y)
print(f"accuracy {clf.score(X_test, y_test):.4f}, {clf.decision_cost(X_test).machines.mean():.0f} machines per answer")

# %%
# The first test image that is answered wrongly. :func:`dagmar.explain` says which machines were asked, and
# ``vectors`` which training rows pulled most, to either side.
row = (clf.predict(X_test) != y_test).nonzero()[0][0]
why = clf.explain(X_test[row], top=3)
print(f"The label is {y_test[row]}.")
print(why)

# %%
figure, axes = plt.subplots(len(why.steps), 5, figsize=(7, 1.3 * len(why.steps)), layout="constrained")
for line, step in zip(axes, why.steps, strict=True):
    for ax in line:
        ax.axis("off")
    line[0].text(0.5, 0.5, f"{step.negative[0]} or {step.positive[0]}?\n{step.value:+.2f}", ha="center", va="center")
    line[1].imshow(X_test[row].reshape(8, 8), cmap="gray_r")
    for ax, vector, label, pull in zip(
        line[2:], step.vectors.rows, step.vectors.labels, step.vectors.contributions, strict=False
    ):
        ax.imshow(X[vector].reshape(8, 8), cmap="Blues" if pull > 0 else "Oranges")
        ax.set_title(f"a {label}: {pull:+.2f}", fontsize=8)
figure.suptitle("Each duel on the path, and the three training images that pulled most")

# %%
# :func:`dagmar.explore` writes a page with the same for every image, in a browser.
