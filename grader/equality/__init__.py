"""How equality of formulas is decided: exact images at a secret point, factors of logarithms, and SymPy as the last resort."""
