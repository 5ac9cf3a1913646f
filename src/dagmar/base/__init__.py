"""What all other rooms use: array types, errors, frozen objects, parameter checks."""
