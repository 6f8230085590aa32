const tf = require('@tensorflow/tfjs');

// A network of two layers by hand, on the four examples of xor.
class Net {
  constructor(hidden) {
    const start = Array.from({length: 2 * hidden}, (_, i) => Math.sin(i * 3 + 1));
    this.w1 = tf.variable(tf.tensor2d(start, [2, hidden]));
    this.b1 = tf.variable(tf.zeros([hidden]));
    this.w2 = tf.variable(tf.tensor2d(start.slice(0, hidden), [hidden, 1]));
    this.b2 = tf.variable(tf.zeros([1]));
    this.optimizer = tf.train.adam(0.05);
  }

  forward(x) {
    const hidden = x.matMul(this.w1).add(this.b1).tanh();
    return hidden.matMul(this.w2).add(this.b2).sigmoid();
  }

  step(x, y) {
    const loss = this.optimizer.minimize(() => {
      const predicted = this.forward(x);
      return tf.losses.logLoss(y, predicted);
    }, /* returnCost */ true);
    const value = loss.dataSync()[0];
    loss.dispose();
    return value;
  }
}

const xs = tf.tensor2d([[0, 0], [0, 1], [1, 0], [1, 1]]);
const ys = tf.tensor2d([0, 1, 1, 0], [4, 1]);
const net = new Net(4);
const log = [];
let best = Infinity;
for (let epoch = 0; epoch < 60; epoch++) {
  const loss = net.step(xs, ys);
  if (loss < best) {
    best = loss;
  }
  if (epoch % 20 == 0 || epoch == 59) {
    log.push({epoch, loss});
  }
}
for (const {epoch, loss} of log) {
  console.log(`${epoch}: ${loss.toFixed(2)}`);
}
console.log(best === log[log.length - 1].loss, Array.from(tf.tidy(() => net.forward(xs).round()).dataSync()));

// Gradients by hand.
const f = (x, y) => x.square().mul(y).sum();
const [dx, dy] = tf.grads(f)([tf.tensor1d([1, 2]), tf.tensor1d([3, 4])]);
console.log(dx.arraySync(), dy.arraySync());
