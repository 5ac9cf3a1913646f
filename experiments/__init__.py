"""What the library is measured by: the studies of the papers, and the benchmarks. Not installed."""
