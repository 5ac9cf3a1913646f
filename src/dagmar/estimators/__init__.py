"""The public classifiers, and the fitted model that each of them holds."""
