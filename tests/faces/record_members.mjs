// Records the names of what TF.js's objects have, by how they are made: node record_members.mjs FOLDER_OF_TFJS > members.json
import {createRequire} from 'node:module';

const tf = createRequire(`${process.argv[2]}/`)('@tensorflow/tfjs');

const dense = {$make: ['layers.dense', {units: 2, inputShape: [3]}]};
const cell = {$make: ['layers.lstmCell', {units: 2}]};
const filters = {filters: 2, kernelSize: 2};
const table = [
  ['layers.dense', {units: 2}], ['layers.embedding', {inputDim: 3, outputDim: 2}], ['layers.dropout', {rate: 0.1}],
  ['layers.conv1d', filters], ['layers.conv2d', filters], ['layers.conv3d', filters], ['layers.conv2dTranspose', filters],
  ['layers.separableConv2d', filters], ['layers.depthwiseConv2d', {kernelSize: 2}], ['layers.convLstm2d', filters],
  ['layers.simpleRNN', {units: 2}], ['layers.gru', {units: 2}], ['layers.lstm', {units: 2}],
  ['layers.simpleRNNCell', {units: 2}], ['layers.gruCell', {units: 2}], ['layers.lstmCell', {units: 2}],
  ['layers.convLstm2dCell', filters], ['layers.stackedRNNCells', {cells: [cell]}], ['layers.rnn', {cell}],
  ['layers.bidirectional', {layer: {$make: ['layers.gru', {units: 2}]}}], ['layers.timeDistributed', {layer: dense}],
  ['layers.batchNormalization', {}], ['layers.layerNormalization', {}], ['layers.add', {}], ['layers.concatenate', {}],
  ['layers.dot', {axes: 1}], ['layers.maxPooling2d', {}], ['layers.globalMaxPooling2d', {}], ['layers.flatten', {}],
  ['layers.reshape', {targetShape: [1]}], ['layers.masking', {}], ['layers.prelu', {}], ['layers.upSampling2d', {}],
  ['layers.zeroPadding2d', {}], ['layers.cropping2D', {cropping: 1}], ['layers.gaussianNoise', {stddev: 1}],
  ['layers.categoryEncoding', {numTokens: 3}], ['layers.resizing', {height: 2, width: 2}], ['layers.rescaling', {scale: 1}],
  ['layers.centerCrop', {height: 1, width: 1}], ['layers.randomWidth', {factor: 0.1}], ['sequential', {layers: [dense]}],
  ['input', {shape: [2]}], ['train.sgd', 0.1], ['train.momentum', 0.1, 0.9], ['train.adagrad', 0.1], ['train.adadelta'],
  ['train.adam'], ['train.adamax'], ['train.rmsprop', 0.1], ['constraints.maxNorm', {}], ['constraints.minMaxNorm', {}],
  ['constraints.unitNorm', {axis: 0}], ['initializers.constant', {value: 1}], ['initializers.randomUniform', {}],
  ['initializers.varianceScaling', {scale: 1, mode: 'fanIn', distribution: 'normal'}], ['regularizers.l1l2', {}],
  ['callbacks.earlyStopping', {}], ['CallbackList'], ['History'], ['CustomCallback', {}], ['Callback'],
  ['tensor', [1]], ['variable', {$make: ['tensor', [1]]}], ['buffer', [2]], ['data.array', [1]], ['env'], ['engine'],
];

function make([path, ...args]) {
  const maker = path.split('.').reduce((space, name) => space[name], tf);
  const given = args.map(made);
  return /^[A-Z]/.test(path) ? new maker(...given) : maker(...given);
}

function made(value) {
  if (Array.isArray(value)) return value.map(made);
  if (value === null || typeof value !== 'object') return value;
  if (value.$make) return make(value.$make);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, made(inner)]));
}

/** Names that another spelling could have. */
function members(object) {
  const found = new Set();
  for (let at = object; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) {
      if (/^[a-z].*[A-Z]/.test(name) && !name.endsWith('_')) found.add(name);
    }
  }
  return [...found].sort();
}

const lines = table.map((row) => JSON.stringify({make: row, members: members(make(row))}));
process.stdout.write(`[\n${lines.join(',\n')}\n]\n`);
