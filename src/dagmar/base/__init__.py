"""What every room relies on: words for arrays, errors, frozen objects, checks of parameters."""
