"""Names of deeplearn.js: their spellings, and the marks of what is public."""
