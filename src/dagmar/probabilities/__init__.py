"""Class probabilities: a sigmoid per machine from held-out values, and how the answers of the sigmoids are combined."""
