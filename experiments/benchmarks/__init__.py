"""Benchmarks of `dagmar.SVC` against its peers, run by ``python -m benchmarks``.

In reading order: `cases` (data and parameters), `competitors` (who runs, and how), `race` (the clock), `agreement`
(the answers must be equal before speed means anything), `goals` (what we want), `results` (one data set's record),
`environment` (where it ran), `tables` (how it is shown), `report` (how it is written).

Others with a command line of their own: `structures` (each on Letter), `tuning` (a grid of C and gamma), `sparse`
(text-like rows) and `scaling` (growth with rows and classes). For them `synthetic` makes data from a seed, `points` runs one
fit in a process of its own and `memory` watches it; `growth` has the power law, `curves` what `scaling` measures, and
`scaling_document` and `scaling_pictures` what becomes of it.
"""
