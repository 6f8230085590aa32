"""Models in Keras's own file formats, `.keras` and `.h5`: configuration, weights and optimizer, read and written."""
