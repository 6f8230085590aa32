"""Graph models: TensorFlow graphs in the JSON format of TF.js's converter, run on the core's ops."""
