"""How typed text becomes a value: clean-up, tokens, and one reader for each kind of answer. No key comes in here."""
