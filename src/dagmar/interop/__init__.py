"""Models that other libraries trained: scikit-learn's and LIBSVM's."""
