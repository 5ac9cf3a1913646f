"""
Text: sparse rows as they are
=============================

Rows of ``TfidfVectorizer`` go into :class:`dagmar.SVC` without being made dense. The texts here are made from a
seed: 20 topics, each with words of its own among common ones, frequencies by Zipf's law.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
import sklearn.svm
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import train_test_split

import dagmar

rng = np.random.default_rng(0)
n_words, n_topics, n_texts = 8000, 20, 2000
zipf = 1 / np.arange(1, n_words + 1)
topics = []
for _ in range(n_topics):
    own = zipf.copy()
    own[rng.choice(n_words, 150, replace=False)] += 0.01
    topics.append(own / own.sum())
topic = rng.integers(n_topics, size=n_texts)
texts = [" ".join(f"w{word}" for word in rng.choice(n_words, 80, p=topics[t])) for t in topic]
X = TfidfVectorizer(sublinear_tf=True).fit_transform(texts)
X, X_test, y, y_test = train_test_split(X, topic, random_state=0)
print(f"{X.shape[0]} texts, {X.shape[1]} words, {X.nnz / np.prod(X.shape):.2%} of the numbers are not zero")

# %%
# The same call for both libraries; a linear kernel is the usual choice for text.
seconds, accuracy = {}, {}
for name, model in [
    ("dagmar", dagmar.SVC(kernel="linear", n_jobs=-1)),
    ("scikit-learn", sklearn.svm.SVC(kernel="linear")),
]:
    begun = time.perf_counter()
    model.fit(X, y)
    fitted = time.perf_counter()
    accuracy[name] = model.score(X_test, y_test)
    seconds[name] = (fitted - begun, time.perf_counter() - fitted)
print(accuracy)

# %%
figure, ax = plt.subplots(figsize=(6, 2.5), layout="constrained")
for i, name in enumerate(seconds):
    ax.barh([i, i + 3], seconds[name], label=name)
ax.set(yticks=[0.5, 3.5], yticklabels=["fit", "predict"], xscale="log", xlabel="seconds")
ax.invert_yaxis()
ax.legend()
