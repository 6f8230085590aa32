"""Models as Keras's own files, `.keras` and `.h5`: their configuration, weights and optimizer, read and written."""
