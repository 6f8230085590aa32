"""Export of layers models as ONNX files: each kind of layer has a function that adds its nodes to the graph."""
