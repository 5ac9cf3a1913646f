"""Agreement with scikit-learn and LIBSVM."""
