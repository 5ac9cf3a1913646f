"""
Spectra: which wavelengths count
================================

Near-infrared spectra have hundreds of neighbouring, correlated features and few rows. The usual steps: remove the
scatter of each spectrum, then classify. :func:`dagmar.tuning.feature_importance` says where the classes differ.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import dagmar

rng = np.random.default_rng(0)
wavelength = np.linspace(900, 1700, 200)


def band(at, width):
    """An absorption band."""
    return np.exp(-(((wavelength - at) / width) ** 2))


y = rng.integers(4, size=240)
amounts = np.array([[1.0, 0.2, 0.6], [0.8, 0.4, 0.6], [1.0, 0.4, 0.4], [0.8, 0.2, 0.7]])[y] + 0.08 * rng.normal(
    size=(240, 3)
)
X = amounts @ np.stack([band(980, 60), band(1210, 40), band(1450, 80)])
X = (0.6 + 0.8 * rng.random((240, 1))) * X + 0.5 * rng.random((240, 1)) + 0.01 * rng.normal(size=X.shape)  # scatter


def normalised(spectra):
    """Each spectrum with mean 0 and deviation 1: standard normal variate."""
    return (spectra - spectra.mean(axis=1, keepdims=True)) / spectra.std(axis=1, keepdims=True)


# %%
plain = dagmar.SVC(C=100)
model = make_pipeline(FunctionTransformer(normalised), dagmar.SVC(C=100))
print(
    f"as measured {cross_val_score(plain, X, y).mean():.3f}, without scatter {cross_val_score(model, X, y).mean():.3f}"
)

# %%
model.fit(X, y)
importance = dagmar.tuning.feature_importance(model[-1], normalised(X), y)
figure, (above, below) = plt.subplots(2, 1, figsize=(7, 4.5), sharex=True, layout="constrained")
for kind in range(4):
    above.plot(wavelength, normalised(X)[y == kind].mean(axis=0), label=f"class {kind}")
above.legend()
above.set(ylabel="mean, without scatter")
below.fill_between(wavelength, importance)
below.set(xlabel="wavelength, nm", ylabel="importance")
