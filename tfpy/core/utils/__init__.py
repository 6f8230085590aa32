"""The helpers that TF.js exports besides its ops, as faces of tfpy's internal functions."""
