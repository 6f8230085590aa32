"""The counterparts in the new API of deeplearn.js's names, and hints about them at run time."""
