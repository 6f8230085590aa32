"""Names: TF.js's spellings, and messages for names that do not exist."""
