// Tensors, variables, operations, models: what every script begins with.
const tf = require('@tensorflow/tfjs');

// Tensors are made from values and a shape ...
const shape = [2, 3];  // two rows, three columns
const a = tf.tensor([1, 2, 3, 10, 20, 30], shape);
a.print();

// ... or from nested lists.
const b = tf.tensor2d([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]);
const zeros = tf.zeros([3, 5]);
console.log(a.equal(b).all().dataSync()[0], zeros.shape);

// Variables change.
const initialValues = tf.zeros([5]);
const biases = tf.variable(initialValues);
biases.print();
biases.assign(tf.tensor1d([0, 1, 0, 1, 0]));
console.log(Array.from(biases.dataSync()));

// Operations, one after the other.
const sqSum = (x, y) => tf.square(tf.add(x, y));
const chained = tf.scalar(2).add(tf.scalar(3)).square();
console.log(sqSum(tf.scalar(2), tf.scalar(3)).dataSync()[0], chained.dataSync()[0]);

/** Computes a * x ^ 2 + b * x + c. */
function polynomial(input) {
  return tf.tidy(() => {
    const x = tf.scalar(input);
    const ax2 = tf.scalar(2).mul(x.square());
    const bx = tf.scalar(4).mul(x);
    return ax2.add(bx).add(tf.scalar(8));
  });
}
const result = polynomial(2);
result.print();

// A model of layers.
const model = tf.sequential();
model.add(
  tf.layers.simpleRNN({
    units: 4,
    recurrentInitializer: 'zeros',
    kernelInitializer: 'ones',
    inputShape: [3, 2]
  })
);
const optimizer = tf.train.sgd(0.1);
model.compile({optimizer, loss: 'categoricalCrossentropy'});
const predicted = model.predict(tf.ones([1, 3, 2]).mul(0.1));
console.log(predicted.shape, Array.from(predicted.dataSync()));

// Memory is given back.
const x = tf.tensor2d([[0.0, 2.0], [4.0, 6.0]]);
const xSquared = x.square();
x.dispose();
xSquared.dispose();
const average = tf.tidy(() => {
  const y = tf.tensor1d([1.0, 2.0, 3.0, 4.0]);
  const z = tf.ones([4]);
  return y.sub(z).square().mean();
});
average.print();
