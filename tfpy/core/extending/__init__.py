"""Extensions of the engine by users: backends, kernels, gradients."""
