"""What users add to the engine, or take the place of: backends, kernels, gradients."""
