"""
Digits, with images along the path
==================================

A sample walks through the decision graph from class to class.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

import dagmar

X, y = load_digits(return_X_y=True)
clf = dagmar.SVC(C=10, gamma=0.001, structure="ddag").fit(X[:1000], y[:1000])
dagmar.pictures.StructureDisplay.from_estimator(clf, X[1001]).plot()
plt.show()
