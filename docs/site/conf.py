"""Settings of Sphinx for the site of the documentation. `make docs` runs it; its sources are put together before that."""

from pathlib import Path
from typing import Any

import matplotlib
from docutils import nodes

import dagmar

matplotlib.use("Agg")

ROOT = Path(__file__).resolve().parents[2]

project = "Dagmar"
author = "the authors of Dagmar"
version = release = dagmar.__version__
language = "en"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
    "sphinx_copybutton",
]
templates_path = [str(Path(__file__).parent / "_templates")]  # of autosummary, too, which looks beside the sources
exclude_patterns = ["files/**"]

# Markdown. Headings get the anchors that they have in a repository; raw ids of generated pages are anchors, too.
myst_enable_extensions = ["attrs_inline", "colon_fence"]
myst_heading_anchors = 4

# The reference: numpydoc makes sections of docstrings; methods are listed by our template.
autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"
autodoc_inherit_docstrings = True
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# Examples run when the site is built, in this order. A warning or an error of one of them stops the build.
sphinx_gallery_conf = {
    "examples_dirs": [str(ROOT / "examples" / "gallery")],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"[\\/]\w+\.py$",
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("dagmar",),
    "show_signature": False,
    "download_all_examples": False,
    "min_reported_time": 0,
    "write_computation_times": False,
    "abort_on_example_error": False,
    "plot_gallery": True,
    "remove_config_comments": True,
    "image_scrapers": ("matplotlib",),
    "reset_modules": ("matplotlib",),
    "capture_repr": (),
}


def setup(app: Any) -> None:
    """Make every picture a link to its file: on a phone, a tap shows it large."""
    app.connect("doctree-read", scale_pictures)


def scale_pictures(app: Any, doctree: Any) -> None:
    """Sphinx links pictures that have a scale; those of the gallery have links of their own."""
    for image in doctree.findall(nodes.image):
        if "sphx_glr" not in image["uri"]:
            image["scale"] = 100


copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "Dagmar"
html_static_path = ["_static"]
html_css_files = ["dagmar.css"]
# html_extra_path, the page of the explorer, is given on the command line: see experiments/site/build.py.
html_copy_source = False
html_show_sourcelink = False
html_sidebars = {"index": []}
html_theme_options = {
    "logo": {"text": "Dagmar"},
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "navbar_persistent": ["search-button"],  # its name is what it shows; the field has a name that hides its text
    "show_prev_next": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "article_footer_items": [],
    "footer_start": ["copyright"],
    "footer_center": [],
    "footer_end": [],
}
html_context = {"default_mode": "auto"}
copyright = "the authors of Dagmar; BSD-3-Clause"
