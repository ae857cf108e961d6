"""The steps that make and change the tables, in order; run by `maskwise.store.schema`."""
