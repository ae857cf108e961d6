"""What is done: one function each, used by pages, commands and jobs alike."""
