const {makeModel, UNITS} = require('./lib');
const data = require('./lib/data');
const Timer = require('./lib/deep/timer.js');
const {half: toHalf} = require('./lib/deep/numbers');

const model = makeModel({units: UNITS});
console.log(model.layers.length, model.layers[0].units, data.load(3).xs.shape, data.NAMES);
console.log(new Timer('t', 2).label(), toHalf(9), data.describe({name: 'set', sizes: [1, 2]}));
