import * as tf from '@tensorflow/tfjs';

const BATCH_SIZE = 4;
const config = {hidden: 3, epochs: 3};

/**
 * Builds the network.
 *
 * @param {number} hiddenUnits Size of the hidden layer.
 * @param {number} numClasses
 * @returns {tf.Sequential} The compiled model.
 */
export function buildModel(hiddenUnits, numClasses) {
  const model = tf.sequential({
    layers: [
      tf.layers.dense({
        units: hiddenUnits,
        activation: 'relu',
        inputShape: [2],
        kernelInitializer: tf.initializers.constant({value: 0.5}),  // no luck involved
      }),
      // One output for each class.
      tf.layers.dense({units: numClasses, activation: 'softmax', kernelInitializer: 'zeros'}),
    ]
  });
  model.compile({
    optimizer: tf.train.adam(0.1),
    loss: 'categoricalCrossentropy',
    metrics: ['accuracy'],
  });
  return model;
}

function makeData(n) {
  const features = [];
  const labels = [];
  for (let i = 0; i < n; ++i) {
    const x = i / n, y = (i * 7 % n) / n;
    features.push([x, y]);
    labels.push(x > y ? [1, 0] : [0, 1]);
  }
  return {xs: tf.tensor2d(features), ys: tf.tensor2d(labels)};
}

async function main() {
  const {xs, ys} = makeData(16);
  const model = buildModel(config.hidden, 2);
  const losses = [];
  const history = await model.fit(xs, ys, {
    batchSize: BATCH_SIZE,
    epochs: config.epochs,
    shuffle: false,
    verbose: 0,
    validationData: [xs, ys],
    callbacks: {
      onEpochEnd: async (epoch, logs) => {
        losses.push(logs.loss);
        console.log('epoch ' + (epoch + 1) + ' of ' + config.epochs + ', loss: ' + logs.loss.toFixed(3));
        await tf.nextFrame();
      },
      onTrainEnd: () => console.log('trained')
    }
  });
  console.log(history.epoch, losses.length, history.history.loss[2] < history.history.loss[0]);
  const [loss, acc] = model.evaluate(xs, ys, {batchSize: 16, verbose: 0});
  console.log(loss.dataSync()[0], acc.dataSync()[0]);
  const best = model.predict(xs.slice([0, 0], [2, 2])).argMax(-1);
  console.log(Array.from(best.dataSync()));
  console.log(model.layers.map(layer => layer.getWeights().map(w => w.shape)));
}

main();
