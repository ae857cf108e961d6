"""One module a family; each holds one `FAMILY`. There is no list to edit."""
