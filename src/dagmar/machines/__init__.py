"""From a problem to trained machines: training, the bank that holds them, and the workshop that structures use."""
