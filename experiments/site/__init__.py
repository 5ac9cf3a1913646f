"""The site of the documentation, made by ``make docs``.

`gather` puts the pages together: those of ``docs/``, and those that stand elsewhere in the repository, with their links.
`ideas` draws the pictures of how it works. `build` makes the pages that are computed and runs Sphinx, whose settings are
``docs/site/conf.py``.
"""
