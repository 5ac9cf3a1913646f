"""The classifiers that users meet, and the fitted model that they hold."""
