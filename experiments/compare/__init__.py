"""The workbench ``python -m experiments compare``: any schemes over any data.

A *scheme* is a way to get a classifier of many classes, with its own tuning. A *step* is one scheme on one split of one set;
its key is ``SET/SPLIT/SCHEME``. What the steps measure is kept in ``results.json``, from which tables, pictures and sentences
are written.
"""
