"""The helpers that TF.js exports besides its ops, as faces of functions that tfpy itself uses."""
