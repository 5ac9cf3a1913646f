"""From a problem to trained machines: training, the bank that holds them, and what a structure may ask for."""
