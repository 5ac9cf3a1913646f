"""Slow, obvious NumPy versions of what the core does, each readable next to its paper."""
