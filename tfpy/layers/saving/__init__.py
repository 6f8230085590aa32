"""Saving and loading models, in the formats of TF.js and Keras."""
