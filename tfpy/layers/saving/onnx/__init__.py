"""Models of layers as ONNX files: a function for each kind of layer, which adds its nodes to the graph."""
