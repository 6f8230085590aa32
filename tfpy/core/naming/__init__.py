"""Names: TF.js's spellings, and error messages for unknown names."""
