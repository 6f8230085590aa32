"""Graph-models: TensorFlow graphs in the JSON form of TF.js's converter, run on the core's ops."""
