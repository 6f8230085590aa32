import * as tf from '@tensorflow/tfjs';

/** Multiplies by a number that is learnt. */
class Scale extends tf.layers.Layer {
  constructor(config) {
    super(config);
    this.initial = config.initial;
    this.supportsMasking = true;
  }

  build(inputShape) {
    this.factor = this.addWeight(
        'factor', [inputShape[inputShape.length - 1]], 'float32', tf.initializers.constant({value: this.initial}));
    this.built = true;
  }

  computeOutputShape(inputShape) {
    return inputShape;
  }

  call(inputs, kwargs) {
    return tf.tidy(() => {
      this.invokeCallHook(inputs, kwargs);
      const x = Array.isArray(inputs) ? inputs[0] : inputs;
      return x.mul(this.factor.read());
    });
  }

  getConfig() {
    const config = super.getConfig();
    Object.assign(config, {initial: this.initial});
    return config;
  }

  static get className() {
    return 'Scale';
  }
}
tf.serialization.registerClass(Scale);

/** Takes the first of its inputs, whatever it is given. */
class First extends tf.layers.Layer {
  static className = 'First';

  computeOutputShape(inputShape) { return inputShape; }

  call(inputs) {
    const input = inputs[0];
    return input.add(1);
  }
}

const input = tf.input({shape: [3]});
const scaled = new Scale({initial: 2}).apply(input);
const output = new First({}).apply(scaled);
const model = tf.model({inputs: input, outputs: output});
model.compile({loss: 'meanSquaredError', optimizer: 'sgd'});
console.log(model.predict(tf.tensor2d([[1, 2, 3], [4, 5, 6]])).arraySync());
console.log(model.layers.map(l => l.getClassName()), model.layers[1].getConfig().initial);
model.fit(tf.ones([4, 3]), tf.zeros([4, 3]), {epochs: 2, verbose: 0, shuffle: false}).then(history => {
  console.log(history.history.loss);
  console.log(model.layers[1].getWeights()[0].arraySync());
});
