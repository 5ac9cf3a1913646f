"""Benchmarks of `dagmar.SVC` against its peers, run by ``python -m benchmarks``.

In reading order: `cases` (data and parameters), `competitors` (who runs, and how), `race` (the clock), `agreement`
(the answers must be equal before speed means anything), `goals` (what we want), `results` (one data set's record),
`environment` (where it ran), `tables` (how it is shown).
"""
