// Names that are taken from deeplearn.js piece by piece.
const dl = require('deeplearn');
const {Array1D, ENV, Scalar} = dl;
const math = ENV.math;
const other = dl.ENV;

math.scope(() => {
  const x = Array1D.new([1, 2, 3]);
  console.log(math.multiply(x, Scalar.new(2)).getValues(), other.math.sum(x).get());
});
