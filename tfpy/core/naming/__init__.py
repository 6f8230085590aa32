"""Names: TF.js's spellings, and what is said of names that do not exist."""
