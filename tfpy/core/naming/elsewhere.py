"""Names of Keras, TensorFlow, TF.js, numpy and PyTorch that users try, and what to use instead.

Each table is for one place where they try them.
"""

from __future__ import annotations

# TF.js had these up to 2.0, for operands of one shape.
_STRICT = ("add", "sub", "mul", "div", "pow", "mod", "minimum", "maximum")

OF_MODULES = {
    "keras": "tf.layers, tf.sequential, tf.model and tf.callbacks",
    "nn": "tf itself: tf.relu, tf.softmax, tf.conv2d; layers are in tf.layers",
    "activations": "names such as 'relu' as a layer's activation, or functions such as tf.relu",
    "optimizers": "tf.train, as in tf.train.adam(0.001)",
    "random": "tf.random_normal, tf.random_uniform and tf.set_seed",
    "config": "tf.set_backend, and `tfpy doctor` on the command line",
    "device": "tf.set_backend('cpu') or tf.set_backend('webgl')",
    "MirroredStrategy": "tf.distribute.mpi()",
    "forceHalfFloat": "nothing: numbers on the GPU have 32 bits",
    "webgl": "tf.set_backend('webgl'); what TF.js has there is about WebGL itself",
    "wasm": "tf.set_backend('cpu')",
    "setWasmPaths": "nothing: the backend 'cpu' is numpy",
    "list_backends": "tf.engine().backend_names()",
    "constant": "tf.tensor",
    "convert_to_tensor": "tf.tensor",
    "as_tensor": "tf.tensor",
    "from_numpy": "tf.tensor",
    "array": "tf.tensor",
    "function": "the function as it is: there is nothing to compile",
    "stop_gradient": "tf.custom_grad, with a gradient of zeros",
    "no_gradient": "tf.custom_grad, with a gradient of zeros",
    "clone_model": "copy.deepcopy(model)",
    "to_categorical": "tf.one_hot(labels, depth)",
    "clip_by_norm": "an option of the optimizer: tf.train.adam(0.001, clip_norm=1)",
    "clipByNorm": "an option of the optimizer: tf.train.adam(0.001, clipNorm=1)",
    "clip_by_global_norm": "an option of the optimizer: tf.train.adam(0.001, global_clip_norm=1)",
    "clipByGlobalNorm": "an option of the optimizer: tf.train.adam(0.001, globalClipNorm=1)",
    "no_grad": "the code as it is: only tf.grad and optimizers record",
    "GradientTape": "tf.grad, tf.value_and_grad or tf.variable_grads",
    "Input": "tf.input",
    "Model": "tf.model(inputs=…, outputs=…); the class is tf.LayersModel",
    "load_model": "tf.load_layers_model or tf.load_graph_model",
    "loadModel": "tf.loadLayersModel or tf.loadGraphModel",
    "loadFrozenModel": "tf.loadGraphModel",
    "loadSavedModel": "tf.loadGraphModel, of a SavedModel that has been converted",
    "multiply": "tf.mul",
    "subtract": "tf.sub",
    "divide": "tf.div",
    "batch_normalization": "tf.batch_norm of tensors, and tf.layers.batch_normalization",
    "batchNormalization": "tf.batchNorm of tensors, and tf.layers.batchNormalization",
    **{f"{name}{strict}": f"tf.{name}" for name in _STRICT for strict in ("Strict", "_strict")},
    "summaryFileWriter": "tf.callbacks.tensorBoard, or SummaryWriter of the package tensorboardX",
    "NDArrayMath": "in the older API: from tfpy import legacy as dl",
    "NDArrayMathCPU": "in the older API: from tfpy import legacy as dl",
    "NDArrayMathGPU": "in the older API: from tfpy import legacy as dl",
    "Graph": "in the older API: from tfpy import legacy as dl",
    "Session": "in the older API: from tfpy import legacy as dl",
    "from_tensor_slices": "tf.data.array or tf.data.zip",
    "from_generator": "tf.data.generator",
    "resize": "tf.image.resize_bilinear or tf.image.resize_nearest_neighbor",
    "float32": "'float32', a string",
    "int32": "'int32', a string",
    "bool": "'bool', a string",
    "string": "'string', a string",
    "cat": "tf.concat",
    "text_vectorization": "a dict of your own from words to numbers, and tf.layers.embedding",
    "TextVectorization": "a dict of your own from words to numbers, and tf.layers.embedding",
    "newaxis": "None, as in t[:, None]",
    **dict.fromkeys(("random_flip", "RandomFlip"), "tf.image.flip_left_right in the map of a data set"),
    **dict.fromkeys(("random_rotation", "RandomRotation"), "tf.image.rotate_with_offset in the map of a data set"),
    **dict.fromkeys(("random_zoom", "RandomZoom"), "tf.image.crop_and_resize in the map of a data set"),
    "inv": "np.linalg.inv(t), which has no gradient",
    "solve": "np.linalg.solve(a, b), which has no gradient",
    "nonzero": "tf.where_async(condition)",
    "shape": "the shape of the tensor: t.shape",
    "std": "tf.moments(x, axis).variance.sqrt()",
    "var": "tf.moments(x, axis).variance",
    "sort": "tf.topk(x, k).values, from the largest to the smallest",
    "argsort": "tf.topk(x, k).indices, from the largest to the smallest",
    "manual_seed": "tf.set_seed",
    "float64": "tf.set_backend('double') for float64 inside; tensors are 'float32'",
}
OF_DATASETS = {
    "enumerate": "enumerate(data) in a loop",
    "cache": "tf.data.array(data.to_array())",
    "as_numpy_iterator": "the data set itself in a loop, and numpy() of its tensors",
}
OF_LAYERS = {
    "input_shape": "input.shape",
}
OF_MODELS = {
    "predict_classes": "predict(x).arg_max(-1)",
    "test_on_batch": "evaluate(x, y)",
    "fit_generator": "fit(generator)",
    "input_shape": "inputs[0].shape",
    "reset_metrics": "nothing: metrics start anew with every epoch",
    "history": "what fit returns: history = model.fit(…)",
}
OF_GRAPH_MODELS = {
    "fit": "tf.sequential, with layers that are trained on what predict returns: a graph model can only be run",
    "layers": "execute(inputs, node), with the name of a node",
    "summary": "inputs and outputs, and `tfpy summary` on the command line",
}
OF_DATASET_CLASS = {
    "from_tensor_slices": "tf.data.array, or tf.data.zip of several",
    "from_generator": "tf.data.generator",
    "range": "tf.data.array(range(n))",
    "zip": "tf.data.zip((a, b))",
}
OF_OPTIMIZERS = {
    "lr": "learning_rate",
}
_BY_METHODS = {
    "batch_size": "dataset.batch(n)",
    "batchSize": "dataset.batch(n)",
    "shuffle": "dataset.shuffle(n)",
}
# By function.
OF_OPTIONS = {
    "fit_dataset": _BY_METHODS,
    "evaluate_dataset": _BY_METHODS,
}
OF_TENSORS = {
    "T": "transpose()",
    "ndim": "rank",
    "item": "float(t), int(t) or array_sync()",
    "tolist": "array_sync()",
    **{f"{name}{strict}": f"{name}(b)" for name in _STRICT for strict in ("Strict", "_strict")},
    "getValues": "dataSync()",
    "get_values": "data_sync()",
    "val": "float(t) or array_sync()",
    "requires_grad": "tf.variable(t), which optimizers change, or tf.grad(f)",
    "get": "array_sync() of a scalar, buffer_sync().get(i, j) else",
    "astype": "cast(dtype)",
    "to": "cast(dtype); tf.set_backend says where tensors live",
    "view": "reshape(shape)",
    "permute": "transpose(perm)",
    "unsqueeze": "expand_dims(axis)",
    "detach": "numpy(), or the tensor as it is",
    "cpu": "numpy()",
    "backward": "tf.grad, or the minimize(f) of an optimizer",
    "argmax": "arg_max(axis)",
    "argmin": "arg_min(axis)",
    "clip": "clip_by_value(min, max)",
    "clamp": "clip_by_value(min, max)",
    "copy": "clone()",
    "ravel": "flatten()",
    "repeat": "tile(reps)",
    "std": "tf.moments(t, axis).variance.sqrt()",
    "var": "tf.moments(t, axis).variance",
    "sort": "topk(k).values, from the largest to the smallest",
    "argsort": "topk(k).indices, from the largest to the smallest",
    "nonzero": "tf.where_async(t)",
    "swapaxes": "transpose(perm)",
    "append": "concat(other)",
    "numel": "size",
    "grad": "tf.grad(f), or tf.variable_grads(f)",
    "device": "tf.get_backend()",
    "matmul": "mat_mul(b)",
    "mm": "mat_mul(b)",
    "logsumexp": "log_sum_exp(axis)",
    **{f"reduce_{name}": f"{name}(axis)" for name in ("sum", "mean", "max", "min", "prod", "any", "all")},
}
OF_VARIABLES = {
    "assign_add": "assign(v + x)",
    "assign_sub": "assign(v - x)",
    "value": "the variable itself, or numpy()",
}
OF_BACKENDS = {
    **dict.fromkeys(("cuda", "metal", "mps", "opengl", "rocm", "vulkan", "webgpu"), "'webgl': the GPU, of any vendor"),
    **dict.fromkeys(("node", "numpy", "tensorflow", "wasm"), "'cpu': numpy"),
}
OF_DRAWINGS = {
    "show": "save('charts.html'); a notebook shows it by itself",
    "savefig": "save('charts.png')",
}
