"""Platt, Cristianini & Shawe-Taylor, 1999: DAGSVM against one-vs-rest and Max Wins on USPS, Letter and Covertype."""

from .study import PlattStudy

STUDY = PlattStudy()

__all__ = ["STUDY"]
