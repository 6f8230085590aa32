const UNITS = 4;

function makeModel(options) {
  const model = tf.sequential();
  model.add(tf.layers.dense({units: options.units, inputShape: [2]}));
  return model;
}

module.exports = {makeModel, UNITS};
