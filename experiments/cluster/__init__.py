"""The model of scale of `dagmar.dask`: what batches cost and move, and a simulation of clusters larger than we have."""
