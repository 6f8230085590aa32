"""What the new API has for each name of deeplearn.js, and hints of it at run time."""
