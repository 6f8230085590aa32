"""The helpers that TF.js exports beside its ops: faces on what tfpy itself uses."""
