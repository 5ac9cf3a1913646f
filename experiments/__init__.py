"""How the library is measured: the studies of the papers and the benchmarks. This package is not installed.

`papers` and `benchmarks` hold the experiments. What they share stands beside them: `data` loads data sets (from a folder,
or by `online` from OpenML) and checks them against the `catalogue`; `environment` says where numbers were measured;
`provenance` says which sources made them; `records` writes JSON files; `statistics` tests differences;
`tables`, `bars` and `growth` are for tables of text, progress and power laws.
"""
