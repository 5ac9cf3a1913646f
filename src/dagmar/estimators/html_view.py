"""What notebooks show of an estimator: scikit-learn's view, and ours below it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.versions import documentation_url
from .holding import ModelHolder


class HtmlView(ModelHolder):
    """Base class of estimators whose HTML view also shows their structure and the meaning of their parameters.

    Scikit-learn has no public way to add to its HTML view, so ours follows it, in the two forms that notebooks ask for.
    """

    # For scikit-learn's HTML view of an estimator: the page that its question mark leads to.
    _doc_link_module = "dagmar"

    @property
    def _doc_link_template(self) -> str:
        site = documentation_url()
        return f"{site}#dagmar.{type(self).__name__}" if site else ""

    @property
    def _repr_html_(self) -> Callable[[], str]:
        inner = super()._repr_html_  # an AttributeError if scikit-learn is set to show text
        return lambda: f"{inner()}{self._more_html()}"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._more_html()
        return bundle

    def _more_html(self) -> str:
        """Return the fitted structure as a drawing, and the meaning of the parameters where scikit-learn does not show it."""
        from .notebook import parameters_html, structure_html

        model = self._model_or_none()
        drawn = "" if model is None else structure_html(model)
        # With the address of a documentation, scikit-learn shows the meaning of parameters itself.
        return drawn + ("" if self._doc_link_template else parameters_html(self))
