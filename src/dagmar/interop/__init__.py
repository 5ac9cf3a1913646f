"""Use of models that scikit-learn or LIBSVM trained."""
