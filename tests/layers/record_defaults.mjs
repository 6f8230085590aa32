// Records the defaults of TF.js 4.22: node record_defaults.mjs > defaults.json (needs @tensorflow/tfjs).
import * as tf from "@tensorflow/tfjs";

const out = [];
const record = (family, name, options = {}, parts = {}) => {
  const config = tf[family][name]({ ...options, ...parts }).getConfig();
  delete config.name;
  out.push({ family, name, options, config });
};
const layers = (options, ...names) => names.forEach((name) => record("layers", name, options));

layers({}, "add", "average", "concatenate", "flatten", "globalAveragePooling1d", "globalAveragePooling2d", "globalMaxPooling1d");
layers({}, "globalMaxPooling2d", "layerNormalization", "batchNormalization", "leakyReLU", "elu", "masking", "maximum", "minimum");
layers({}, "multiply", "prelu", "reLU", "softmax", "thresholdedReLU", "upSampling2d", "zeroPadding2d");
layers({}, "averagePooling1d", "averagePooling2d", "averagePooling3d", "maxPooling1d", "maxPooling2d", "maxPooling3d");
layers({ units: 2 }, "dense", "simpleRNN", "gru", "lstm", "simpleRNNCell", "gruCell", "lstmCell");
layers({ filters: 2, kernelSize: 3 }, "conv1d", "conv2d", "conv3d", "conv2dTranspose", "conv3dTranspose", "separableConv2d");
layers({ filters: 2, kernelSize: 3 }, "convLstm2d", "convLstm2dCell");
layers({ kernelSize: 3 }, "depthwiseConv2d");
layers({ rate: 0.5 }, "dropout", "alphaDropout", "gaussianDropout", "spatialDropout1d");
layers({ stddev: 0.5 }, "gaussianNoise");
layers({ activation: "relu" }, "activation");
layers({ inputDim: 4, outputDim: 3 }, "embedding");
layers({ axes: 1 }, "dot");
layers({ height: 4, width: 5 }, "resizing", "centerCrop");
layers({ scale: 2 }, "rescaling");
layers({ numTokens: 4 }, "categoryEncoding");
layers({ cropping: [[1, 2], [3, 4]] }, "cropping2D");
record("layers", "timeDistributed", {}, { layer: tf.layers.dense({ units: 2, name: "inner" }) });
record("layers", "bidirectional", {}, { layer: tf.layers.gru({ units: 2, name: "inner" }) });
for (const name of ["glorotNormal", "glorotUniform", "heNormal", "heUniform", "leCunNormal", "leCunUniform", "ones", "zeros"]) {
  record("initializers", name);
}
for (const name of ["identity", "orthogonal", "randomNormal", "randomUniform", "truncatedNormal", "varianceScaling"]) {
  record("initializers", name);
}
record("initializers", "constant", { value: 3 });
for (const name of ["maxNorm", "minMaxNorm", "nonNeg", "unitNorm"]) record("constraints", name);
for (const name of ["l1", "l1l2", "l2"]) record("regularizers", name);
console.log(`[\n${out.map((c) => JSON.stringify(c)).join(",\n")}\n]`);
