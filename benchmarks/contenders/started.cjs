// TF.js from a folder of node modules, with the wasm backend if that is installed, else cpu; says on stdout that it is ready.
const path = require('path');

exports.started = async modules => {
  const tf = require(path.join(modules, '@tensorflow/tfjs'));
  try {
    require(path.join(modules, '@tensorflow/tfjs-backend-wasm'));
    await tf.setBackend('wasm');
  } catch (error) {
    await tf.setBackend('cpu');
  }
  tf.env().set('PROD', true);
  console.warn = () => {};
  console.log(JSON.stringify({ready: true, version: `${tf.version.tfjs} ${tf.getBackend()}`}));
  return tf;
};

// The median of times in seconds.
exports.median = times => times.sort((a, b) => a - b)[times.length >> 1];
