"""From X, y and parameters to a training problem: samples, kernels, weights, tasks, precision."""
