"""Names of deeplearn.js: their spellings, and the markers of public names."""
