"""How equality of formulas is decided: exact images at a secret point, and SymPy as the last resort."""
