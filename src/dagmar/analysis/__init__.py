"""Analysis of trained models: margins, error bounds, significance tests."""
