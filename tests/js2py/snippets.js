//// numbers
console.log(7 / 2, Math.floor(7 / 2), 2 ** 10, 7 % 3, 0xff, 1e3, .5, 5.);
console.log(Math.round(2.5), Math.round(-2.5), Math.trunc(-3.7), Math.sign(-4), Math.max(1, 2, 3), Math.min(4), Math.hypot(3, 4));
console.log(parseInt('42', 10), parseInt('ff', 16), parseFloat('2.5'), Number('7'), +'3', ~~7.9, 9.7 | 0);
console.log((3.14159).toFixed(2), Number.isInteger(5), isNaN(NaN), Infinity > 1, Math.max(...[3, 9, 4]));
//// remainder of a negative number in a comparison
const n = -4;
console.log(n % 2 === 0, 7 % 5);
//// texts
const name = 'Ada';
const count = 3;
console.log('a' + 1 + 2, 1 + 2 + 'a', 'x' + name + count, `${name} has ${count + 1} "things"`, 'it\'s', "tab\there");
console.log(name.toUpperCase(), name.length, name[0], name.charAt(1), name.includes('d'), name.indexOf('z'));
console.log('a,b,c'.split(','), 'abc'.split(''), ' x '.trim(), 'ab'.repeat(2), '7'.padStart(3, '0'), 'hello'.substring(1, 3));
console.log('a-b-c'.replace('-', '+'), 'a-b-c'.replace(/-/g, '+'), /\d+/.test('a12'), 'a1b22'.split(/\d+/), 'abc'.charCodeAt(0));
let out = '';
for (const letter of 'xyz') {
  out += letter + '.';
}
out += 5;
console.log(out);
//// texts of lists
const shape = [2, 3];
console.log('shape: ' + shape, `shape: ${shape}`, shape.join('x'), String(12), (12).toString());
//// lists
const xs = [3, 1, 2];
xs.push(10);
xs.push(7, 8);
console.log(xs.length, xs[xs.length - 1], xs.indexOf(10), xs.includes(4), xs.slice(1, 3), xs.slice(-2), xs.at(-1));
console.log(xs.map(x => x * 2), xs.filter(x => x > 2), xs.map((x, i) => x * i), xs.reduce((a, b) => a + b), xs.reduce((a, b) => a * b, 1));
console.log(xs.some(x => x > 9), xs.every(x => x > 1), xs.find(x => x > 3), xs.findIndex(x => x > 3), xs.find(x => x > 99) === undefined);
xs.sort((a, b) => a - b);
console.log(xs, [...xs].sort((a, b) => b - a), xs.slice().reverse(), xs.concat([100]), [...xs, 1]);
console.log(xs.pop(), xs.shift(), xs);
xs.unshift(0);
xs.splice(1, 2);
console.log(xs, xs.splice(0, 1), xs);
//// sorting numbers without a function sorts their texts
const values = [10, 9, 1, 100];
values.sort();
console.log(values);
const words = ['pear', 'apple', 'fig'];
words.sort();
console.log(words, words.reverse());
//// sorting by a property and by a function
const people = [{name: 'B', age: 3}, {name: 'A', age: 5}, {name: 'C', age: 1}];
people.sort((a, b) => b.age - a.age);
console.log(people.map(p => p.name));
people.sort((p, q) => p.name < q.name ? -1 : 1);
console.log(people.map(({name}) => name));
//// lists made by numbers
console.log(Array.from({length: 3}, (_, i) => i * i), new Array(3).fill(0), Array(2).fill('x'), [...Array(3).keys()]);
console.log(Array.from([1, 2], x => x + 1), Array.from('ab'), new Array(2).fill(0).map((_, i) => i + 1));
const grid = [];
for (let i = 0; i < 2; i++) {
  grid.push(new Array(3).fill(i));
}
grid[1][2] = 9;
console.log(grid, [[1, 2], [3]].flat(), [1, 2].flatMap(x => [x, x * 10]));
//// objects
const point = {x: 1, 'long name': 2, y: {z: [1, 2]}};
point.w = 4;
console.log(point.x, point['long name'], point.y.z[1], point.w, 'x' in point, 'q' in point, Object.keys(point).length);
delete point.w;
const merged = {...point, x: 10, v: 0};
for (const [key, value] of Object.entries({a: 1, b: 2})) {
  console.log(key, value);
}
for (const key in {p: 1, q: 2}) {
  console.log(key);
}
console.log(merged.x, Object.values({a: 5}), JSON.parse('{"k": [1]}').k[0], JSON.stringify([1, 'a']).length > 3);
const {x, y: {z}, missing = 8} = point;
console.log(x, z, missing);
//// counting in an object
const counts = {};
for (const word of ['a', 'b', 'a']) {
  counts[word] = (counts[word] || 0) + 1;
}
console.log(counts.a, counts.b, counts['c'] === undefined, counts['c'] ?? 'none');
if (!counts['d']) {
  console.log('no d');
}
//// maps and sets
const m = new Map();
m.set('a', 1);
m.set('b', 2);
m.forEach((value, key) => console.log(key, value));
for (const [k, v] of m) {
  console.log(k, v);
}
console.log(m.get('a'), m.has('z'), m.size, [...m.keys()]);
const seen = new Set([1, 2, 2]);
seen.add(3);
console.log(seen.size, seen.has(2), seen.has(9));
//// truth of empty lists and objects
const empty = [];
const nothing = {};
if (empty) console.log('empty list is true');
if (nothing) console.log('empty object is true');
if (!'') console.log('empty text is false');
if (!0) console.log('zero is false');
console.log(empty ? 1 : 2, empty.length ? 1 : 2, empty && 'kept', null || 'other', 0 || 5, 0 ?? 5);
//// taking apart
const [first, , third, ...others] = [1, 2, 3, 4, 5];
let a = 1, b = 2;
[a, b] = [b, a];
const cells = [5, 6];
[cells[0], cells[1]] = [cells[1], cells[0]];
console.log(first, third, others, a, b, cells);
//// functions
function add(a, b = 2, ...others) {
  return a + b + others.length;
}
const twice = f => x => f(f(x));
const area = function(w, h) {
  return w * h;
};
function optional(a, b) {
  return b === undefined ? a : a + b;
}
console.log(add(1), add(1, 1), add(1, 1, 1, 1), twice(x => x + 1)(5), area(2, 3), optional(1), optional(1, 2));
const options = ({size, scale = 2}) => size * scale;
console.log(options({size: 4}), options({size: 4, scale: 3}));
console.log(add(...[1, 2]));
//// a default that is made anew for each call
function collect(item, into = []) {
  into.push(item);
  return into;
}
collect(1);
console.log(collect(2));
//// functions that are used before they are written
console.log(later(2));
function later(n) {
  return helper(n) + 1;
}
function helper(n) {
  return n * 10;
}
//// closures over the variable of a loop
const makers = [];
for (let i = 0; i < 3; i++) {
  makers.push(() => i);
}
for (const word of ['a', 'b']) {
  makers.push(function() { return word; });
}
console.log(makers.map(f => f()));
const inner = [1, 2].map(x => () => x);
console.log(inner.map(f => f()));
//// variables of outer functions
let total = 0;
function grow(by) {
  total += by;
  return total;
}
function counter() {
  let count = 0;
  return () => ++count;
}
grow(2);
grow(3);
const next = counter();
next();
console.log(total, next());
//// blocks with variables of one name
const v = 1;
{
  const v = 2;
  console.log(v);
}
for (let v = 5; v < 6; v++) console.log(v);
console.log(v);
//// names that Python has taken
const list = [1], sum = 2, lambda = 3, max = 4, print = 5;
console.log(list.length, sum + lambda + max + print, Math.max(1, 2));
//// loops
for (let i = 10; i > 0; i -= 3) console.log(i);
for (let i = 0, j = 5; i < j; i++, j--) console.log(i, j);
let k = 0;
while (k < 10) {
  k++;
  if (k % 2) continue;
  if (k > 6) break;
  console.log(k);
}
do {
  k--;
} while (k > 3);
console.log(k);
for (let i = 0; i < 6; i++) {
  if (i === 1) {
    i += 2;
    continue;
  }
  console.log('step', i);
}
[5, 6].forEach((x, i) => console.log(i, x));
[1, 2, 3].forEach(x => {
  if (x === 2) return;
  console.log(x);
});
//// a list that grows while it is gone over
const queue = [3];
for (let i = 0; i < queue.length; i++) {
  if (queue[i] > 0) queue.push(queue[i] - 1);
}
console.log(queue);
//// increments in expressions
const slots = [0, 0, 0];
let at = 0;
slots[at++] = 5;
slots[at++] = 6;
const before = at++;
const after = ++at;
console.log(slots, at, before, after);
let down = 3;
while (down-- > 0) console.log(down);
let p = 1, q;
q = p = 4;
console.log(p, q, p += 2);
//// switch
function kind(x) {
  switch (x) {
    case 1:
    case 2:
      return 'small';
    case 'a':
      return 'letter';
    default:
      return 'other';
  }
}
let found;
switch (3) {
  case 3: {
    found = 'three';
    break;
  }
  case 4:
    found = 'four';
}
console.log(kind(1), kind(2), kind('a'), kind(9), found);
//// errors
function check(x) {
  if (x < 0) throw new RangeError(`bad: ${x}`);
  return x;
}
try {
  check(-1);
} catch (e) {
  console.log(e.message, e instanceof RangeError);
} finally {
  console.log('done');
}
class Odd extends Error {
  constructor(value) {
    super('odd: ' + value);
    this.value = value;
  }
}
try {
  throw new Odd(3);
} catch (error) {
  console.log(error.value, error.message);
}
//// types
console.log(typeof 'a' === 'string', typeof 1 === 'number', typeof undefinedName === 'undefined', typeof (() => 1) === 'function');
console.log(Array.isArray([1]), null == undefined, 1 === 1, 'a' !== 'b', void 0 === undefined);
const one = [1], same = one;
console.log(one === same, one === [1], !one);
//// classes
class Shape {
  static count = 0;
  sides = 4;
  #secret = 7;
  constructor(width, height) {
    this.width = width;
    this.height = height;
    Shape.count++;
  }
  get area() {
    return this.width * this.height;
  }
  set size(value) {
    this.width = this.height = value;
  }
  reveal() {
    return this.#secret;
  }
  describe(prefix = 'shape') {
    return `${prefix} of ${this.area}`;
  }
  static square(n) {
    return new Shape(n, n);
  }
}
class Named extends Shape {
  constructor(name) {
    super(2, 3);
    this.name = name;
    this.tags = [];
  }
  describe() {
    return super.describe(this.name) + '!';
  }
  addAll(tags) {
    tags.forEach(tag => this.tags.push(tag));
    return this;
  }
}
const named = new Named('box').addAll(['a', 'b']);
named.size = 5;
console.log(named.describe(), named.tags, named.sides, Shape.square(3).area, Shape.count, named instanceof Shape, named.reveal());
//// optional chaining
const maybe = null;
const settings = {deep: {x: 1}};
console.log(maybe?.x === undefined, settings?.deep.x);
let label;
label ??= 'set';
label ||= 'again';
console.log(label);
//// conditions as statements
let hits = 0;
const hit = () => { hits++; };
hits === 0 && hit();
hits > 5 ? hit() : hit();
console.log(hits);
//// generators
function* squares(n) {
  for (let i = 0; i < n; i++) yield i * i;
}
console.log([...squares(4)]);
for (const s of squares(2)) console.log(s);
//// promises
async function load(n) {
  return n + 1;
}
async function main() {
  const [a, b] = await Promise.all([load(1), load(2)]);
  const all = await Promise.all([1, 2].map(async n => await load(n)));
  console.log(a, b, all);
}
main().then(() => console.log('after')).catch(error => console.log('failed', error));
//// typed arrays
const buffer = new Float32Array(4);
buffer[1] = 2.5;
buffer.set([7, 8], 2);
console.log(buffer.length, Array.from(buffer), Array.from(new Int32Array([1, 2, 3])).map(x => x * 2), buffer.slice(1, 3).length);
const borrowed = Array.prototype.slice.call(buffer);
console.log(JSON.parse(JSON.stringify(borrowed)), JSON.parse(JSON.stringify([].slice.call(buffer, 1, 3))), borrowed.map(x => x / 2));
console.log(JSON.parse(JSON.stringify({largest: Math.max.apply(null, buffer), least: Math.min.apply(null, buffer)})));
console.log([].concat.apply([], [[1], [2, 3]]), Array.prototype.concat.apply([], [[4], [5]]));
//// parameters of methods
class Ranking {
  constructor(k) {
    this.k = k;
    this.log = [];
  }
  run(values) {
    const k = Math.min(this.k, values.length);
    return this.largest(values, k);
  }
  largest(values, k) {
    const found = new Float32Array(k);
    const sorted = values.slice().sort((a, b) => b - a);
    for (let i = 0; i < k; i++) {
      found[i] = sorted[i];
    }
    return found;
  }
  push(x) {
    this.log.push(3);
    return x ? x.length : 0;
  }
}
const ranking = new Ranking(2);
console.log(Array.from(ranking.run([3, 1, 4])), ranking.largest([1, 2], 1).length, ranking.push([1, 2]));
//// tensors
const t = tf.tensor2d([[1, 2], [3, 4]]);
console.log(t.shape, t.dtype, t.sum().arraySync(), t.matMul(t).arraySync(), tf.oneHot([0, 2], 3).arraySync());
console.log(Array.from(t.reshape([4]).dataSync()), t.slice([0, 1], [2, 1]).arraySync(), `${t.shape}`, t.rank, t.argMax(1).arraySync());
const {mean, variance} = tf.moments(t);
console.log(mean.arraySync(), variance.arraySync(), tf.sum(t, 0, true).shape, tf.memory().numTensors > 0);
const [rows, cols] = t.shape;
const [height7, width7] = tf.zeros([4, 5, 3]).shape;
console.log(height7, width7, (3).valueOf(), tf.buffer([2]).get(1).valueOf());
console.log(rows * cols, t.leakyRelu(0.1).arraySync(), tf.concat([t, t], 1).shape, tf.leakyRelu(t).shape);
t.print();
//// reading tensors later
const later2 = tf.tensor1d([1, 2, 3]);
(async () => {
  console.log(Array.from(await later2.data()), await later2.array());
  later2.data().then(values => console.log(values.length));
})();
//// gradients
const g = tf.grad(x => x.square().mul(3));
console.log(g(tf.scalar(2)).arraySync());
const w = tf.variable(tf.scalar(3), true, 'w');
const {value, grads} = tf.variableGrads(() => w.square());
console.log(value.arraySync(), Object.keys(grads).length);
//// tidy
const kept = tf.tidy(() => {
  const a = tf.scalar(2);
  const b = a.square();
  return b.add(1);
});
tf.tidy(() => {
  console.log(kept.arraySync());
});
const short = tf.tidy(() => kept.mul(2));
console.log(short.arraySync());
//// a data set
const set = tf.data.array([{xs: [1, 2], ys: [1]}, {xs: [3, 4], ys: [0]}, {xs: [5, 6], ys: [1]}]);
(async () => {
  await set.forEachAsync(e => console.log(e.xs, e.ys));
  const doubled = set.map(({xs, ys}) => ({xs: xs.map(x => x * 2), ys}));
  console.log((await doubled.toArray()).length);
  const batches = await set.batch(2).toArray();
  console.log(batches.map(b => b.xs.shape));
  const it = await set.iterator();
  const first = await it.next();
  console.log(first.value.xs, first.done);
})();
//// a data set made by a generator
function* numbers() {
  for (let i = 0; i < 3; i++) yield i;
}
(async () => {
  for (const x of await tf.data.generator(numbers).map(x => x + 1).toArray()) {
    console.log(x);
  }
})();
//// a for loop whose end moves
let limit = 2;
for (let i = 0; i < limit; i++) {
  if (limit < 5) limit++;
  console.log(i);
}
const cut = [1, 2, 3, 4];
for (let i = 0; i < cut.length; i++) {
  if (cut[i] === 2) cut.splice(i, 1);
}
console.log(cut);
//// order within a statement
let o1 = 1;
const log1 = (...args) => args.map(String).join('|');
console.log(log1(o1, o1++, o1, ++o1, o1 += 5, o1));
const arr1 = [3, 1, 2];
console.log(arr1[0], arr1.slice().sort((a, b) => a - b), arr1[0]);
let w1, w2;
w1 = w2 = [1];
w1.push(2);
console.log(w2);
//// conditions that are not evaluated
let calls = 0;
const touch = v => { calls++; return v; };
const r1 = false && touch(1), r2 = true || touch(2), r3 = null ?? touch(3);
console.log(r1, r2, r3, calls, touch(0) ? 'yes' : touch('no'));
//// lists of lists and of objects
const table = [{id: 1, tags: ['a', 'b']}, {id: 2, tags: []}];
const ids = [];
for (const {id, tags} of table) {
  ids.push(id + ':' + tags.length);
}
table.forEach(({id}, i) => console.log(id, i));
console.log(ids, table.filter(({tags}) => tags.length > 0).map(row => row.id), table[0].tags[1]);
const pairs = [[1, 'x'], [2, 'y']];
console.log(pairs.map(([n, s]) => `${s}${n}`), Object.fromEntries(pairs.map(([n, s]) => [s, n])).y);
pairs.forEach(([n, s]) => console.log(n, s));
//// functions that return functions and objects
function makeCounter(step = 1) {
  let count = 0;
  return {
    next: () => {
      count += step;
      return count;
    },
    reset() {
      count = 0;
    },
  };
}
const c1 = makeCounter(2);
c1.next();
console.log(c1.next());
c1.reset();
console.log(c1.next());
const compose = (...fs) => x => fs.reduce((acc, f) => f(acc), x);
console.log(compose(x => x + 1, x => x * 2)(3));
//// shuffling and swapping
const deck = [1, 2, 3, 4];
for (let i = deck.length - 1; i > 0; i--) {
  const j = i % 2;
  const tmp = deck[i];
  deck[i] = deck[j];
  deck[j] = tmp;
}
console.log(deck, deck.indexOf(9) === -1, deck.indexOf(1) >= 0);
//// a class with state
class History {
  constructor() {
    this.entries = {};
    this.best = null;
    this.onChange = undefined;
  }
  add(name, value) {
    if (!this.entries[name]) {
      this.entries[name] = [];
    }
    this.entries[name].push(value);
    if (this.best === null || value > this.best) {
      this.best = value;
    }
    if (this.onChange) {
      this.onChange(name, this.entries[name].length);
    }
    return this;
  }
  get names() {
    return Object.keys(this.entries);
  }
}
const h = new History();
h.add('loss', 1).add('loss', 0.5);
h.onChange = (name, n) => console.log('changed', name, n);
h.add('acc', 2);
console.log(h.names, h.best, h.entries.loss, h.entries['acc'][0]);
//// numbers to and from texts
console.log((255).toString(16), (5).toString(2), parseInt('101', 2), Number('1.5') + 1, '3' * 1 === 3 ? 'kept' : 'lost');
//// early returns and nested loops
function findPair(xs, sum) {
  for (let i = 0; i < xs.length; i++) {
    for (let j = i + 1; j < xs.length; j++) {
      if (xs[i] + xs[j] === sum) {
        return [i, j];
      }
    }
  }
  return null;
}
console.log(findPair([1, 4, 6], 10), findPair([1], 2));
//// this in callbacks
class Runner {
  constructor(xs) {
    this.xs = xs;
    this.seen = 0;
  }
  run() {
    this.xs.forEach(x => {
      this.seen += x;
    });
    const doubled = this.xs.map(x => x * this.seen);
    const self = this;
    return doubled.filter(function(x) { return x > self.seen; });
  }
}
console.log(new Runner([1, 2, 3]).run());
//// defaults of what is taken apart
const settings1 = {rate: 0.1, depth: {units: 4}};
const {rate = 1, momentum = 0.9, depth: {units}} = settings1;
function setUp({rate, steps = 10, name = 'run'} = {}) {
  return `${name}: ${rate} ${steps}`;
}
console.log(rate, momentum, units, setUp({rate: 2}), setUp({rate: 1, name: 'x'}));
//// chained ternaries, negation, typeof in conditions
const grade = n => n > 90 ? 'A' : n > 80 ? 'B' : 'C';
console.log([95, 85, 10].map(grade), !(1 > 2), !(1 > 2 || 2 > 3), !!'x', !![].length);
//// strings in loops and searches
const sentence = 'the cat the hat';
const freq = {};
sentence.split(' ').forEach(word => {
  freq[word] = freq[word] ? freq[word] + 1 : 1;
});
console.log(Object.entries(freq).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)), sentence.indexOf('cat'), sentence.lastIndexOf('the'));
console.log(sentence.split(' ').map(w => w[0].toUpperCase() + w.slice(1)).join(' '), [...'ab'].map((ch, i) => ch.charCodeAt(0) + i));
//// shapes
const big = tf.zeros([2, 3, 4]);
console.log(big.shape.length, big.shape.slice(1), big.shape.reduce((a, b) => a * b), [...big.shape, 1], big.shape[big.shape.length - 1]);
const [n0, ...rest0] = big.shape;
console.log(n0, rest0, big.reshape([n0, -1]).shape, tf.util.sizeFromShape(big.shape));
//// variables of a step that functions keep
const readers = [];
let outside = 0;
for (let i = 0; i < 3; i++) {
  const square = i * i;
  const add = () => { outside += square; };
  add();
  readers.push((x) => { const y = x + square; return y * i; });
}
console.log(readers.map(f => f(1)), outside);
const table2 = {first: function() { const y = 1; return y; }, second() { return 2; }};
console.log(table2.first(), table2.second(), '\ud83d\ude00', `{${1}}`);
//// records as parameters
const rows2 = [{id: 1, size: 5}, {id: 2, size: 7}];
console.log(rows2.map(({id, size: s}) => `${id}=${s}`), rows2.filter(({size}) => size > 5).length);
const pick = ({id}) => id;
console.log(rows2.map(pick), rows2.some(({id}) => id === 2), rows2.reduce((sum, {size}) => sum + size, 0));
//// texts as numbers
console.log('3' * '4', '10' / 4, '7' - 2, 2 in [1, 2], 1 in [1, 2]);
//// what is computed and may be missing
const find1 = (xs, n) => xs.find(x => x.n === n) || null;
const people1 = [{n: 'a', age: 3}];
const lookUp = n => people1.find(p => p.n === n);
console.log(find1(people1, 'a').age, find1(people1, 'z'), lookUp('a')?.age, lookUp('q')?.age === undefined, lookUp('q') ?? 'nobody');
//// keeping results, grouping
const memo = {};
function fib(n) {
  if (n in memo) return memo[n];
  return memo[n] = n < 2 ? n : fib(n - 1) + fib(n - 2);
}
const groups = [1, 2, 3, 4].reduce((acc, x) => {
  const k = x % 2 ? 'odd' : 'even';
  (acc[k] = acc[k] || []).push(x);
  return acc;
}, {});
console.log(fib(20), groups.odd, groups.even);
//// steps that are no whole numbers
const range = (a, b, step = 1) => {
  const out = [];
  for (let x = a; x < b; x += step) out.push(x);
  return out;
};
console.log(range(0, 1, 0.25), range(2, 5));
for (let x = 0.5; x < 2; x++) console.log(x);
for (let i = -2; i < 1; i++) console.log(i);
//// data that was read
const cfg = JSON.parse('{"layers": [{"units": 2}], "name": "n"}');
console.log(cfg.layers[0].units, cfg.name, cfg.layers.length);
for (const layer of cfg.layers) console.log(layer.units);
//// a gradient of one's own
const tenfold = tf.customGrad((x, save) => {
  save([x]);
  return {value: x.square(), gradFunc: (dy, saved) => [dy.mul(saved[0]).mul(10)]};
});
console.log(tf.grad(x => tenfold(x).sum())(tf.tensor1d([1, 2])).arraySync());
//// callbacks within callbacks
const matrix = [[1, 2], [3, 4]];
console.log(matrix[0].map((_, c) => matrix.map(row => row[c])), matrix.map(row => row.map(x => x * 2)));
console.log(matrix.map((_, i) => { const k = i + 1; return k * k; }), matrix.map(([a, b]) => () => a + b).map(f => f()));
console.log(matrix.every(row => row.some(x => x > 1)), matrix.reduce((sum, row) => sum + row.reduce((a, b) => a + b, 0), 0));
//// getters and setters in any order
class Box {
  constructor(w) { this._w = w; }
  set width(w) { this._w = w; }
  get width() { return this._w; }
  toString() { return `Box(${this._w})`; }
}
class Named extends Box {
  toString() { return 'Named ' + super.toString(); }
}
const box = new Box(2);
box.width = 5;
console.log(box.width, `${box}`, String(box), box.toString(), 'a ' + new Named(1));
//// attributes that are there later
class Loader {
  async load() {
    if (!this.model) this.model = tf.layers.dense({units: 1, inputShape: [2]});
    return this.model;
  }
  get ready() { return !!this.model; }
  scale(x) {
    if (this.mean && this.std) return x.sub(this.mean).div(this.std);
    this.mean = x.mean(0);
    this.std = x.sub(this.mean).square().mean(0).sqrt();
    return this.scale(x);
  }
}
const loader = new Loader();
console.log(loader.ready, loader.scale(tf.tensor2d([[1, 2], [3, 6]])).arraySync());
loader.load().then(() => console.log(loader.ready));
//// steps of a generator
function* naturals() { let n = 0; while (true) { yield n++; } }
const steps = naturals();
console.log(steps.next().value, steps.next().value);
//// maps and sets keep their order
const pairs = new Map([['b', 1], ['a', 2]]);
console.log([...pairs], Array.from(pairs), [...pairs].map(([k, v]) => `${k}${v}`));
const counted = ['x', 'y', 'x'].reduce((m, w) => m.set(w, (m.get(w) || 0) + 1), new Map());
console.log(counted.get('x'), [...new Set(['pear', 'fig', 'pear', 'apple'])], Array.from(new Set([9, 1, 9])));
//// promises of values that are waited for together
async function together() {
  const [a, b] = await Promise.all([tf.scalar(1).data(), tf.tensor1d([2, 3]).array()]);
  const later = tf.scalar(4).data();
  console.log(a[0], b, (await later)[0]);
}
together();
//// a length of one's own
class Ring {
  constructor() { this.length = 0; this.items = []; }
  add(x) { this.items.push(x); this.length = this.items.length; }
  clear() { this.items.length = 0; this.length = 0; }
}
const ring = new Ring();
ring.add(5);
console.log(ring.length);
ring.clear();
console.log(ring.length, ring.items);
//// options that are not given
function configure(options = {}) {
  const rate = options.rate || 0.1;
  if (options.loud) console.log('loud');
  if (!options.quiet) console.log('not quiet');
  return [rate, options.name ?? 'none', options.depth === undefined ? 3 : options.depth, options.then ? 1 : 2];
}
console.log(configure(), configure({rate: 2, name: 'n', depth: 0}));
const state = {count: 0};
state.count ||= 10;
state.name ??= 'n';
state.count &&= state.count + 1;
console.log(state.count, state.name);
//// calls by call, apply and bind
const add3 = (a, b, c) => a + b + c;
console.log(add3.call(null, 1, 2, 3), add3.apply(null, [4, 5, 6]), add3.bind(null, 10)(1, 1), Math.max.apply(null, [3, 9]), Math.min.apply(Math, [3, 9]));
class Holder { constructor() { this.own = [4, 5]; } first(n) { return this.own[n]; } }
const holder = new Holder();
const firstOf = holder.first.bind(holder), second = holder.first.bind(holder, 1);
console.log(firstOf(0), second());
console.log(Object.prototype.hasOwnProperty.call({a: 1}, 'a'), Boolean([]), Boolean(''), Boolean(3));
//// functions of JavaScript as values
console.log([4, -9].map(Math.abs), [2.4, 2.5].map(Math.round), [1, 2].every(Number.isFinite));
[7, 8].forEach((x, i, all) => { if (i === all.length - 1) console.log('last', x); });
tf.scalar(3).array().then(console.log);
//// reduce with an index
const probabilities = [0.1, 0.7, 0.2];
console.log(probabilities.reduce((best, p, i, all) => p > all[best] ? i : best, 0), [5, 6].reduce((acc, x, i) => acc + x * i, 1));
//// what may not be there
const settings = {model: {layers: [{units: 4}]}, opts: null, f: x => x + 1};
console.log(settings?.model?.layers?.[0]?.units, settings.opts?.x, settings.f?.(1), settings.g?.(1), settings.opts?.go());
//// regular expressions in full
console.log('epoch=12 loss=0.3'.replace(/(\w+)=/g, '$1: '), 'camelCaseText'.replace(/[A-Z]/g, c => ' ' + c.toLowerCase()));
console.log([...'a1 b2'.matchAll(/(\w)(\d)/g)].map(m => m[2]), 'x1y2'.match(/[a-z](\d)/g), '2+3'.replace(/(\d)\+(\d)/, (all, a, b) => `${b}+${a}=${all}`));
console.log('$1,234.50'.replace(/[$,]/g, ''), 'a$b'.split(/[$]/), /^[^$]+$/.test('ab'), /\$$/.test('5$'), /a$/.test('a\n'), /[\]$]$/.test('x$'));
//// cases without a value
const nothing1 = x => { switch (x) { case undefined: case null: return 'nothing'; default: return 'something'; } };
console.log(nothing1(undefined), nothing1(null), nothing1(1));
//// classes that are made by a function of their own
class Grid {
  constructor(cells) { this.cells = cells; }
  static of(...cells) { return new Grid(cells); }
  map(f) { return new Grid(this.cells.map(x => f(x))); }
}
console.log(Grid.of(1, 2).map(x => x * 3).cells);
//// tensors in dicts in lists
const layers1 = [];
for (let i = 1; i < 3; i++) layers1.push({w: tf.ones([i, 2]), b: tf.zeros([2])});
const net = {params: layers1};
console.log(net.params[1].w.shape, net.params.reduce((h, {w, b}, i) => h.matMul(w).add(b).add(i), tf.ones([1, 1])).arraySync());
//// a buffer without a dtype
const cells1 = new tf.TensorBuffer([2, 2]);
cells1.set(1, 0, 1);
console.log(cells1.toTensor().arraySync());
//// a var is one variable for all steps
var lateReaders = [];
for (var step1 = 0; step1 < 3; step1++) {
  var doubled1 = step1 * 2;
  lateReaders.push(function() { return step1 + doubled1; });
}
for (var item1 of [7, 8]) lateReaders.push(() => item1);
console.log(lateReaders.map(f => f()));
//// arguments that are left out
class Table {
  constructor(rows, title) { this.rows = rows; this.title = title; }
  column(name, start, scale) {
    if (start === undefined) start = 0;
    return this.rows.slice(start).map(row => row[name] * (scale || 1));
  }
  first(name, other) { return this.column(name, 1)[0] + (other ?? 5); }
}
const table3 = new Table([{a: 1}, {a: 2}, {a: 3}]);
console.log(table3.column('a'), table3.first('a'), table3.first('a', 1), table3.title === undefined);
//// shapes that are changed
const cube = tf.zeros([2, 3, 4]);
const shape3 = cube.shape.slice();
shape3[0] = 9;
shape3.push(7);
const rest3 = cube.shape.slice(1);
rest3.unshift(3);
console.log(shape3, rest3, cube.shape.slice(1).concat([5]), cube.shape.concat([1]), [1].concat(cube.shape.slice(1)));
console.log(cube.reshape(cube.shape.slice(0, 1).concat([-1])).shape, tf.ones(cube.shape.slice(1)).shape);
class Last extends tf.layers.Layer {
  computeOutputShape(inputShape) {
    const shape = inputShape.slice();
    shape.splice(1, 1);
    return shape;
  }
  call(inputs) { return inputs[0].mean(1); }
  static get className() { return 'Last'; }
}
console.log(new Last({}).apply(tf.input({shape: [3, 4]})).shape);
//// arguments of the command line
const argparse = require('argparse');
function parseArguments(list) {
  const parser = new argparse.ArgumentParser({description: 'Trains.', addHelp: true});
  parser.addArgument('modelType', {type: 'string', help: 'kind of model'});
  parser.addArgument('--batchSize', {type: 'int', defaultValue: 128, help: 'size (%(defaultValue)s)'});
  parser.addArgument(['-r', '--learning-rate'], {type: 'float', defaultValue: 0.1});
  parser.addArgument('--gpu', {action: 'storeTrue'});
  parser.addArgument('--logDir', {type: 'string'});
  parser.addArgument('--layer', {action: 'append', dest: 'layerNames'});
  parser.addArgument('--mode', {choices: ['fast', 'slow'], defaultValue: 'fast'});
  parser.addArgument('--scale', {type: Number, defaultValue: 2});
  parser.addArgument('sizes', {type: 'int', nargs: '*'});
  return parser.parseArgs(list);
}
const given1 = parseArguments(['lstm', '3', '4', '--batchSize', '7', '--gpu', '--layer', 'a', '--layer', 'b']);
console.log(given1.modelType, given1.batchSize, given1.learning_rate, given1.gpu, given1.logDir, given1.layerNames.length);
console.log(given1.mode, given1.scale * 2, given1.sizes, given1.logDir == null ? 'no log' : given1.logDir, given1['modelType']);
const {modelType, batchSize, gpu} = parseArguments(['cnn', '-r', '1e-3']);
console.log(modelType, batchSize, gpu, modelType.toUpperCase(), batchSize / 2);
const given2 = parseArguments(['cnn']);
if (given2.gpu) console.log('gpu');
if (!given2.extra) given2.extra = 'set';
delete given2.batchSize;
console.log(given2.extra);
//// arguments of the command line, some known and in groups
const {ArgumentParser} = require('argparse');
const parser3 = ArgumentParser({prog: 'x'});
const group3 = parser3.addArgumentGroup({title: 'numbers'});
group3.addArgument('--steps', {type: 'int', defaultValue: 5});
parser3.setDefaults({mode: 'plain'});
let args3 = {};
[args3, ] = parser3.parseKnownArgs(['--steps', '3', '--other', '1']);
for (let i = 0; i < args3.steps; i++) console.log(i % 2, args3.mode);
//// files and paths
const fs = require('fs');
const path = require('node:path');
const os = require('os');
const util = require('util');
const assert = require('assert');
const {writeFileSync, existsSync} = require('fs');
const readFile = util.promisify(fs.readFile);
const folder1 = path.join(os.tmpdir(), 'tfpy-js2py', './a', '/b', '..');
console.log(path.basename(folder1), path.basename(path.dirname(folder1)), path.extname('x/y.tar.gz'), path.basename('x/y.json', '.json'));
console.log(path.join('a', 'b', 'c', 'd'), path.dirname('file'), path.isAbsolute(path.resolve('a', 'b')), path.relative('/a/b', '/a/c/d'), path.resolve('/a', 'b', '../c'));
if (!fs.existsSync(folder1)) fs.mkdirSync(folder1, {recursive: true});
fs.mkdirSync(path.join(folder1, 'deep'));
const file1 = path.join(folder1, 'one.txt');
writeFileSync(file1, 'zwei Öfen');
fs.appendFileSync(file1, ', drei');
console.log(fs.readFileSync(file1, 'utf8'), fs.readFileSync(file1, {encoding: 'utf-8'}).length, fs.readFileSync(file1).length);
console.log(fs.statSync(file1).isFile(), fs.lstatSync(folder1).isDirectory(), fs.statSync(file1).size > 10, fs.readdirSync(folder1));
fs.writeFileSync(path.join(folder1, 'two.bin'), new Uint8Array([1, 2, 3]));
console.log(fs.readFileSync(path.join(folder1, 'two.bin')).length, existsSync(path.join(folder1, 'none')));
assert(existsSync(file1));
assert.equal(fs.readdirSync(folder1).length, 3, 'three files');
assert.notEqual(path.sep, '');
assert.deepEqual([1, 2], [1, 2]);
try { assert.equal(1, 2, 'differ'); } catch (e) { console.log('refused', e.message); }
fs.unlinkSync(file1);
fs.rmSync(path.join(os.tmpdir(), 'tfpy-js2py'), {recursive: true});
console.log(fs.existsSync(file1), process.env.TFPY_NONE === undefined, process.env.TFPY_NONE || 'none', typeof process.cwd() === 'string');
(async () => {
  const file2 = path.join(os.tmpdir(), 'tfpy-js2py.json');
  fs.writeFileSync(file2, JSON.stringify({a: [1, 2]}));
  console.log(JSON.parse(await readFile(file2, 'utf8')).a, (await fs.promises.readFile(file2, 'utf8')).split(',').length);
  const data1 = JSON.parse(fs.readFileSync(file2));
  console.log(data1.a);
  fs.unlinkSync(file2);
})();
//// indices that come from a division
const even1 = [1, 2, 3, 4], odd1 = [1, 2, 3, 4, 5];
const mid1 = even1.length / 2;
console.log(even1[mid1], even1[even1.length / 2], even1[mid1 - 1], even1[Number('2')], even1[+'1']);
console.log(odd1.slice(0, odd1.length / 2), odd1.slice(odd1.length * 0.8), even1.slice(mid1, -1), 'abcde'.substring(0, 5 / 2), 'ab'.repeat(7 / 3));
console.log(new Array(mid1).fill(0), Array.from({length: 5 / 2}, (_, i) => i), new Float32Array(mid1).length, new Float32Array(odd1).slice(0, 5 / 2).length);
function halves(items) {
  const at = items.length / 2;
  return [items.slice(0, at), items.slice(at)];
}
console.log(halves(even1), halves(odd1), tf.ones([mid1, 3]).shape);
console.log(even1.splice(mid1 / 2, 1), even1);
let low1 = 0, high1 = 4;
high1 /= 2;
console.log(odd1[low1], odd1[high1], odd1[Math.max(1, high1)], odd1[Math.floor(odd1.length / 2)]);
//// cases that are conditions or types
function size1(n) {
  switch (true) {
    case n < 3:
      return 'small';
    case n < 10:
    case n === 50: {
      return 'middle';
    }
    default:
      return 'big';
  }
}
const kindOf1 = x => {
  switch (typeof x) {
    case 'number':
      return 'n';
    case 'boolean':
      return 'b';
    case 'string':
    case 'undefined':
      return 's';
  }
  return 'other';
};
const limit1 = 4;
let calls1 = 0;
const next1 = () => { calls1 += 1; return 5; };
switch (next1()) {
  case limit1: console.log('limit'); break;
  case limit1 + 1: console.log('above'); break;
  default: console.log('none');
}
console.log(size1(1), size1(9), size1(50), size1(51), kindOf1(2.5), kindOf1(true), kindOf1('a'), kindOf1(undefined), kindOf1([1]), calls1);
console.log('string' === typeof 'a', 'number' !== typeof 'a');
const isObject = x => typeof x === 'object';
console.log(isObject({}), isObject([1]), isObject('a'), isObject(2), isObject(undefined), typeof true !== 'object');
//// jumps to labels
outer: for (let i = 0; i < 4; i++) {
  for (let j = 0; j < 3; j++) {
    if (j > i) continue outer;
    console.log('at', i, j);
  }
  console.log('whole', i);
}
search: for (const row of [[1, 2], [3, 4], [5]]) {
  for (const cell of row) {
    if (cell === 3) {
      console.log('found');
      break search;
    }
  }
  console.log('not in', row);
}
let left1 = 5;
again: while (true) {
  left1--;
  if (left1 % 2 === 0) continue again;
  if (left1 < 2) break again;
  console.log(left1);
}
//// sorting as a dictionary does
const words2 = ['pear', 'Fig', 'apple', 'Banana'];
words2.sort((a, b) => a.localeCompare(b));
console.log(words2, [...words2].sort(function(a, b) { return b.localeCompare(a); }));
const rows2 = [{name: 'b', n: 1}, {name: 'A', n: 2}, {name: 'a2', n: 3}, {name: 'b', n: 0}];
console.log(rows2.slice().sort((p, q) => p.name.localeCompare(q.name)).map(r => r.n));
rows2.sort((p, q) => p.name.localeCompare(q.name) || p.n - q.n);
console.log(rows2.map(r => r.n), 'a'.localeCompare('B') < 0, words2[0].localeCompare(words2[0]) === 0);
console.log([3, 1, 2].sort(function(a, b) { return a - b; }), [3, 1, 2].sort((a, b) => { return b - a; }));
//// arguments that count on
const word4 = 'abcdef', bytes4 = new Uint8Array(6);
let at4 = 0, put4 = 0;
const letters4 = [];
while (at4 < 3) letters4.push(word4.charAt(at4++));
console.log(letters4, at4, word4.substr(at4++, 2), word4.charAt(at4++), word4.charAt(99), at4);
bytes4.set([7], put4++);
bytes4.set([8], put4++);
bytes4.set([1, 2], put4++);
bytes4.set(letters4.map(l => l.length), ++put4 - 1);
console.log(Array.from(bytes4), put4);
//// functions that say yes or no
const asked5 = [4, NaN, Infinity].map(v => Number.isNaN(v) ? 'nan' : Number.isFinite(v) ? 'finite' : 'infinite');
const check5 = v => { if (Number.isNaN(v)) { return 'nan'; } return isFinite(v) && Number.isInteger(v) ? 'whole' : 'other'; };
console.log(asked5, [4, NaN, 2.5].map(check5), Object.hasOwn({a: 1}, 'a') ? 'has' : 'has not');
class Cell5 {
  constructor(v) { this.v = v; }
  equal(other) { return this.v === other.v; }
}
const same5 = (a, b) => { if (a.equal(b)) return 'same'; return 'different'; };
console.log(same5(new Cell5(1), new Cell5(1)), same5(new Cell5(1), new Cell5(2)));
class List5 {
  constructor() { this.items = []; }
  push(x) { this.items.push(x); return this; }
}
class Ring5 extends List5 {
  push(x) { if (this.items.length > 1) this.items.shift(); return super.push(x); }
}
console.log(new Ring5().push(1).push(2).push(3).items);
const map5 = new Map();
map5.set('a', 1).set('b', 2);
const set5 = new Set();
set5.add(1).add(2);
console.log([...map5.keys()], set5.size);
const more5 = set5.add(3);
console.log(more5.has(3), more5 === set5);
(async () => {
  const all5 = await Promise.all([1, 2].map(async x => x + 1));
  console.log(all5.map(x => x * 2), all5.length);
})();
//// computing with items of typed arrays
const bytes6 = new Uint8Array([200, 100, 50]);
let sum6 = 0;
for (let i = 0; i < bytes6.length; i++) sum6 += bytes6[i];
console.log(sum6, bytes6[0] + bytes6[1], bytes6[0] * 2, bytes6[2] - bytes6[1], bytes6.reduce((a, b) => a + b, 0), bytes6[bytes6.length - 1]);
console.log([...bytes6].map(x => x * 2), Math.max(...bytes6) - 250, bytes6.map(x => x / 2), bytes6.filter(x => x * 2 > 150), bytes6.some(x => x + 100 > 255));
let more6 = 0;
for (const v of bytes6) more6 += v;
bytes6.forEach(v => { more6 += v; });
const [first6, second6] = bytes6.slice(0, 2);
console.log(more6, first6 + second6, [...new Set(bytes6)].length, Array.from(bytes6, x => x * 2), typeof bytes6[0] === 'number');
const large6 = tf.tensor1d([2000000000, 2000000000], 'int32').dataSync();
console.log(large6[0] + large6[1], large6[0] * 2, new Float32Array([16777216])[0] + 1);
bytes6[0] -= 100;
bytes6[1]++;
console.log(bytes6);
//// what is undefined takes the default
function options7(a = 5, b = 2, c) { return [a, b, c === undefined]; }
console.log(options7(undefined, 3), options7(1, undefined), options7(), options7(4, 4, 4));
const scaled7 = (x, {scale = 2, shift} = {}) => shift === undefined ? x * scale : x * scale + shift;
console.log(scaled7(1), scaled7(1, {shift: 4}), scaled7(2, {scale: 3, shift: 1}));
const made7 = n => {
  if (n > 1) return {kind: 'many', count: n};
  return {kind: 'few'};
};
const {kind: kind7, count: count7} = made7(1), many7 = made7(2), few7 = made7(0);
console.log(kind7, count7 === undefined, many7.count, few7.count === undefined, few7.kind);
const yes7 = o => [o.bias !== false, o.fast === true];
console.log(yes7({}), yes7({bias: false, fast: true}), {a: 1, ...(count7 && {b: 2})}.b === undefined);
//// places left out of lists
const rows8 = [[1, 'a', true], [2, 'b', false]];
console.log(rows8.map(([, s]) => s), rows8.map(([n, , t]) => [n, t]), rows8.map(([n]) => n), rows8.filter(([, , t]) => t).length);
for (const [, s, t] of rows8) console.log(s, t);
for (const [n, , t] of rows8) console.log(n, t);
rows8.forEach(([, s]) => console.log(s));
const [, second8] = rows8, [[, inner8]] = rows8, [a8, , c8] = [1, 2, 3, 4];
console.log(second8, inner8, a8, c8, rows8.some(([, s]) => s === 'b'), rows8.find(([n]) => n === 2)[1], rows8.reduce((t, [n]) => t + n, 0));
//// lists that are made by numbers or filled
const i = 100;
console.log([...Array(4).keys()].map(i => i * 2), [...Array(3).keys()].map((v, k) => v + k), Array.from(Array(3).keys()), [...new Array(2).keys()]);
console.log(new Array(3).fill(5).map(x => x + 1), Array(2).fill('a').map((s, i) => s + i), [...Array(3)].map((_, i) => i), Array(2).fill().map(() => []));
for (const k of Array(3).keys()) console.log(k + i);
//// regular expressions with names, and their matches
const WORD9 = /[a-z]+/g, NUMBER9 = /(\d+)/, COMMA9 = /\s*,\s*/;
const text9 = 'ab 12, cd 34';
console.log(text9.match(WORD9), text9.match(NUMBER9)[1], text9.split(COMMA9), text9.replace(NUMBER9, '<$1>'), text9.replace(WORD9, w => w.toUpperCase()));
const found9 = 'epoch=12 loss=0.5'.match(/epoch=(\d+) loss=([\d.]+)/);
console.log(found9[1] * 2, found9[2] * 2, found9.slice(1), found9.index, found9 ? 'found' : 'none', [...text9.matchAll(WORD9)].map(m => m[0]));
const [, key9, value9] = /(\w+)=(\d+)/.exec('a id=7');
console.log(key9, value9 * 2, text9.match(/\d+/g).map(x => x * 2), 'x'.match(/y/) === null);
//// attributes that only others set
class Job10 {
  constructor(config) { this.quiet = config.quiet === true; }
  run() {
    if (this.onDone) this.onDone('run');
    const label = this.label || 'none';
    return [label, this.quiet, this.cache === undefined];
  }
}
const job10 = new Job10({});
console.log(job10.run());
job10.onDone = v => console.log('done', v);
job10.label = 'named';
console.log(job10.run());
//// lists that loops fill
const squares11 = [];
for (let i = 0; i < 3; i++) squares11[i] = i * i;
squares11[squares11.length] = 9;
const grid11 = [];
for (let i = 0; i < 2; i++) { grid11[i] = []; for (let j = 0; j < 2; j++) grid11[i][j] = i + j; }
function filled11(n) {
  const out = [], counts = new Array(n).fill(0);
  for (let k = 0; k < n; ++k) { out[k] = k; out[k] += 1; counts[k] = out[k] * 2; }
  return [out, counts];
}
const old11 = [1, 2, 3];
for (let i = 0; i < 3; i++) old11[i] = old11[i] * 2;
console.log(squares11, grid11, filled11(3), old11);
//// hashes, texts of JSON and characters
let hash12 = 0;
for (const ch of 'hello world') { hash12 = hash12 * 31 + ch.charCodeAt(0); hash12 |= 0; }
let cut12 = 7.9;
cut12 |= 0;
console.log(hash12, cut12, JSON.stringify([1, 2]) === JSON.stringify([1, 4 / 2]), JSON.stringify({a: 1}) !== JSON.stringify({a: 2}));
console.log(Math.hypot(1, 2, 2), Math.hypot(3), String.fromCharCode(104, 105), String.fromCharCode(97 + 1), String.fromCharCode(...[72, 73]));
//// what classes have for all
class Meter13 {
  static #made = 0;
  static get made() { return Meter13.#made; }
  constructor(v) { this.v = v; Meter13.#made++; }
  *[Symbol.iterator]() { yield this.v; yield this.v + 1; }
  get kind() { return this.constructor.name; }
}
const meter13 = new Meter13(5);
console.log(Meter13.made, Meter13.made + 1, [...meter13], meter13.kind, meter13.constructor === Meter13);
for (const v of new Meter13(7)) console.log(v);
//// functions of lists that look at the list
const xs14 = [5, 3, 5, 8, 3];
console.log(xs14.filter((v, i, s) => s.indexOf(v) === i), xs14.filter((_, i) => i % 2 === 0), xs14.map(x => x + 1).filter((v, i, s) => s.indexOf(v) === i));
console.log('banana'.split('').filter((c, i, s) => s.indexOf(c) === i).join(''), xs14.every((v, i, s) => i === 0 || s[i - 1] !== v), xs14.map((v, i, s) => v - (i ? s[i - 1] : 0)));
console.log(xs14.find((v, i) => i > 1 && v > 4), xs14.findIndex((v, i) => i > 1 && v > 4), xs14.findIndex((v, i, s) => s[i + 1] === 8), xs14.find((_, i) => i === 3));
//// jumps to labels of loops that ask
let k15 = 0;
scan15: while (k15 < 6) {
  k15++;
  for (const d of [2, 3]) {
    if (k15 % d === 0) continue scan15;
  }
  console.log('plain', k15);
}
//// keys of entries, counting in an arrow, the largest of what may be empty
const LEVELS16 = Object.freeze({low: 0, mid: 1});
console.log(Object.entries(LEVELS16).map(([k, v]) => k + v).join());
for (const [k, v] of Object.entries(LEVELS16)) console.log(k + v);
const counters16 = {};
const count16 = k => (counters16[k] = (counters16[k] || 0) + 1);
count16('a');
console.log(count16('a'), count16('b'), counters16);
const tree16 = {kids: [{kids: []}, {kids: [{kids: []}]}]};
const depth16 = t => 1 + Math.max(0, ...t.kids.map(depth16));
console.log(depth16(tree16), Math.min(3, ...[]));
//// lists that are spread into lists, keys that are computed, sorted typed arrays, texts of tensors
const lists17 = [[1], [2, 3]], map17 = new Map([['a', 1]]), all17 = [];
console.log([].concat(...lists17), [0].concat(...lists17), [0].concat(lists17[1], 9));
all17.push(...map17);
all17.push(...map17.values(), 7);
all17.push(...new Uint8Array([200]));
console.log(all17, all17[all17.length - 1] + 100);
const key17 = 'a', {[key17]: named17, [key17 + 'b']: other17 = 5} = {a: 1};
console.log(named17, other17);
console.log(Float32Array.from([10, 9, 1]).sort(), new Int16Array([30, 4]).sort()[0]);
const words17 = tf.tensor1d(['x', 'y']).dataSync();
console.log(words17[0] + words17[1], words17.length);
//// what getters give, and entries of what may be a list
class Net18 {
  get sizes() { return [3, 4]; }
  get name() { return 'net'; }
}
const net18 = new Net18();
for (const [i, n] of net18.sizes.entries()) console.log(i, n);
console.log(net18.sizes.indexOf(4), net18.name.length, net18.name.includes('e'));
const numbered18 = ({units = [5]}) => {
  for (const [i, u] of units.entries()) console.log(i, u);
};
numbered18({});
numbered18({units: [7, 8]});
console.log(({a: 1}).hasOwnProperty('a'));
//// loops over what they change
class Store19 {
  constructor() { this.items = {a: 1, b: 2, c: 3}; }
  clear(label) { delete this.items[label]; }
  clearAll() { for (const label in this.items) this.clear(label); }
  copyAll() {
    Object.keys(this.items).forEach(label => {
      this.items[label + '2'] = this.items[label];
    });
  }
  double() {
    for (const label of Object.keys(this.items)) { this.items[label] = this.items[label] * 2; }
  }
}
const store19 = new Store19();
store19.copyAll();
store19.double();
console.log({...store19.items});
store19.clearAll();
console.log({...store19.items});
const map19 = new Map();
[1, 2, 3, 4].forEach(n => { map19.set('k' + n, n); });
map19.forEach((value, key) => {
  if (value === 1) map19.delete(key);
});
for (const [key, value] of map19) {
  if (value === 2) { map19.delete(key); }
}
for (const key of map19.keys()) {
  if (key === 'k3') map19.delete(key);
}
console.log([...map19.keys()]);
//// functions of numbers, and arrays that are filled
console.log(Math.acosh(2), Math.asinh(1), Math.atanh(0.5), Math.fround(0.1), Math.clz32(1), Math.clz32(0), Math.clz32(-1));
console.log(Math.imul(3, 4), Math.imul(0xffffffff, 5), Math.imul(65536, 65536), Math.LOG2E, Math.LOG10E, Math.SQRT1_2);
const ones19 = new Float32Array(3).fill(1);
const same19 = ones19.fill(2);
same19[0] = 7;
console.log(ones19, new Int32Array(2).fill(4).length, String.fromCodePoint(97, 98));
const late19 = [];
for (let i = 1; i <= 3; i++) {
  late19[i - 1] = i * i;
}
console.log(late19);
const flat19 = (xs) => xs.reduce((all, x) => all.concat(Array.isArray(x) ? flat19(x) : x), []);
console.log(flat19([1, [2, [3, 4]], 5]));
//// parts of Math, steps within calls, and what only pages do
const {sqrt: root20, max: most20, PI: pi20} = Math;
const {NEGATIVE_INFINITY: low20} = Number;
console.log(root20(16), most20(1, 2), pi20 > 3, low20 < 0);
class Heap20 {
  constructor() { this.count = 2; this.items = [5, 6, 7]; }
  weigh(i, j) { return i * 10 + j + this.count * 100; }
  down() { return this.weigh(0, this.count--); }
  up() { return this.weigh(0, ++this.count); }
  take() { return this.items[this.count--]; }
}
const heap20 = new Heap20();
console.log(heap20.down(), heap20.count, heap20.up(), heap20.count, heap20.take(), heap20.count);
const store20 = typeof window === 'undefined' ? 'none' : window.localStorage;
if (typeof window !== 'undefined') {
  window.alert(store20);  // on a page
} else {
  console.log('no page', store20);
}
if (typeof document !== 'undefined' && document.title) console.log('titled');
const shown20 = typeof document !== 'undefined' && document.title;
console.log(shown20);
//// numbers of a tensor that are changed
const pixels21 = tf.tensor1d([3, 1, 2]).dataSync();
for (let i = 0; i < pixels21.length; i++) {
  pixels21[i] *= 2;
}
pixels21.sort();
tf.tensor1d([4, 5]).data().then(d => {
  d[1]++;
  console.log(d, pixels21);
});
//// names taken from namespaces
const layers22 = tf.layers;
const {dense: dense22, lstm: lstm22} = tf.layers;
const {flatten: flatten22} = layers22;
const {tidy: tidy22, train: train22, losses: losses22} = tf;
const made22 = tf.sequential({layers: [flatten22({inputShape: [2, 2]}), dense22({units: 3, kernelInitializer: 'ones'})]});
made22.add(layers22.dense({units: 1, kernelInitializer: 'ones'}));
made22.compile({optimizer: train22.sgd(0.1), loss: losses22.meanSquaredError});
console.log(tidy22(() => made22.predict(tf.ones([1, 2, 2])).dataSync()), lstm22({units: 2}).name.length > 3);
function inner22() {
  const {env: env22, version_core: version22} = tf;
  const {l2: l22} = tf.regularizers;
  return [env22() === tf.env(), version22.length > 3, l22({l2: 0.5}).l2];
}
console.log(inner22());
const last22 = dense22({units: 4, inputShape: [2]});
last22.apply(tf.ones([1, 2]));
console.log(last22.units, last22.getWeights()[0].shape);
//// names that are computed
const x23 = tf.tensor1d([-1, 0, 2]);
const names23 = ['relu', 'square', 'leakyRelu'];
names23.forEach(n => console.log(tf[n](x23).arraySync(), x23[n]().arraySync()));
const kinds23 = {dense: {units: 2}, dropout: {rate: 0.5}};
const made23 = tf.sequential();
made23.add(tf.layers.inputLayer({inputShape: [3]}));
for (const [kind, config] of Object.entries(kinds23)) made23.add(tf.layers[kind](config));
console.log(made23.layers.map(l => l.getClassName()).join(','));
const key23 = 'mean';
const {[key23]: value23, 'std': spread23, ...rest23} = {mean: 3, std: 4, n: 5};
console.log(value23, spread23, rest23.n, Object.keys(rest23).length);
function made23of({units = 4, ...others}, ...more) {
  return [units, others.name, more.length, more[0]];
}
console.log(made23of({name: 'a'}, 5, 6));
//// numbers of a tensor in texts
const values24 = tf.tensor1d([1.5, -2.25, 0.1]);
const found24 = values24.dataSync();
console.log(`values: ${values24.dataSync()}!`, 'of one: ' + tf.scalar(0.5).dataSync(), `${found24}`);
console.log(String(found24), found24.toString(), found24.join(' '), String(values24.shape), String(2.5), String('a'));
console.log(['a', 'b'].map(String).join(''));
values24.data().then(d => console.log(`later: ${d} of ${d.length}`));
//// JSON of arrays and of counts
const numbers25 = tf.tensor1d([0.5, 2.5]);
const counts25 = JSON.parse(JSON.stringify(tf.memory()));
console.log(Object.keys(counts25).includes('numTensors'), counts25['numBytes'] > 0);
console.log(JSON.parse(JSON.stringify(numbers25.dataSync())), JSON.stringify(numbers25.arraySync(), null, 1));
console.log(JSON.stringify({b: [1.5, null, true]}, undefined, 2));
//// what a model looks like as JSON
const model26 = tf.sequential({layers: [tf.layers.dense({units: 3, inputShape: [2]})]});
const made26 = model26.toJSON(null, false);
console.log(made26.class_name, made26.config.layers.length, made26.config.layers[0].config.units);
console.log(JSON.parse(model26.toJSON()).config.layers[0].class_name);
//// lists that are known by what changes them
function padded(items, length) {
  if (items.length > length) {
    items.splice(0, items.length - length);
  }
  const zeros = [];
  while (items.length + zeros.length < length) {
    zeros.push(0);
  }
  items = items.concat(zeros);
  return items;
}
const rows = new Map([["a", [1, 2]], ["b", [3, 4, 5, 6]]]);
console.log(padded(rows.get("a"), 3), padded(rows.get("b"), 3));
//// parameters that are left out, compared
function layers(units, rate, most) {
  const found = [units];
  if (rate > 0) {
    found.push(rate);
  }
  if (most <= 3 || units < most) {
    found.push("few");
  }
  return found;
}
console.log(layers(2), layers(2, 0.5), layers(2, 0), layers(2, 0.25, 3), layers(5, undefined, 9));
//// constructor functions
/**
 * A running mean.
 * @param {number} decay How much is kept.
 */
function Mean28(decay) {
  this.decay = decay;
  this.value = 0;
  var count = 0;
  this.seen = function() { return count; };
  this.reset = function (to) {
    this.value = to;
    count = 0;
  };
  function note() { count++; }
  this.note = note;
}

// Adds a number.
Mean28.prototype.add = function(x) {
  this.note();
  this.value = this.decay * this.value + (1 - this.decay) * x;
  return this;
};
Mean28.LIMIT = 3;
Mean28.prototype.addAll = function(values) {
  var self = this;
  values.forEach(function(v) {
    self.add(v);
  });
};
Mean28.of = function(values) {
  var made = new Mean28(0.5);
  made.addAll(values);
  return made;
};
var Doubled28 = function(decay, factor) {
  Mean28.call(this, decay);
  this.factor = factor;
};
Doubled28.prototype = Object.create(Mean28.prototype);
Doubled28.prototype.constructor = Doubled28;
Doubled28.prototype.result = function() { return this.factor * this.value; };
function Names28() {
  this.list = [];
}
Names28.prototype = {
  add: function(name) {
    this.list.push(name);
  },
  joined() { return this.list.join('-'); },
};
function Empty28() {}
Empty28.prototype.one = function() { return 1; };
const mean28 = new Mean28(0.75);
console.log(mean28.add(1).add(2).value, mean28.seen(), Mean28.LIMIT, new Empty28().one());
mean28.reset(5);
console.log(mean28.value, mean28.seen(), Mean28.of([4, 8]).value);
const doubled28 = new Doubled28(0.5, 2), names28 = new Names28();
doubled28.addAll([4]);
names28.add('a');
names28.add('b');
console.log(doubled28.result(), doubled28.value, names28.joined(), doubled28 instanceof Mean28);
//// dates
const first27 = new Date(2020, 0, 30), then27 = new Date('2020-02-01T12:30:15.250'), month27 = 2;
console.log(first27.getFullYear(), first27.getMonth() + 1, then27.getMonth(), first27.getDate(), first27.getDay());
console.log(then27.getHours(), then27.getMinutes(), then27.getSeconds(), then27.getMilliseconds(), first27 < then27);
console.log((new Date(2020, 1, 3) - new Date(2020, 1, 1)) / 3600000, new Date(then27).getTime() === then27.getTime());
console.log(new Date(then27.getTime() + 1000).getSeconds(), +then27 - first27.getTime() > 0, then27 instanceof Date);
console.log(new Date(2020, month27 - 1, 29, 10).getDate(), new Date(2021, month27).getMonth());
console.log(new Date(Date.UTC(2020, 4, 6, 7, 8, 9)).toISOString(), Date.UTC(2020, 0), new Date(0).toISOString());
const utc27 = new Date(Date.UTC(2021, 11, 31, 23, 58, 59, 250)), weekday27 = (d) => 'SMTWTFS'[d.getUTCDay()];
console.log(utc27.getUTCFullYear(), utc27.getUTCMonth() + 1, utc27.getUTCDate(), utc27.getUTCHours(), weekday27(utc27));
console.log(utc27.getUTCMinutes(), utc27.getUTCSeconds(), utc27.getUTCMilliseconds());
for (let date27 = new Date(2020, 0, 30); date27.getMonth() < 2; date27.setDate(date27.getDate() + 14)) {
  console.log(date27.getMonth() + 1, date27.getDate());
}
const changed27 = new Date(2020, 3, 5);
changed27.setMonth(changed27.getMonth() + 1);
changed27.setHours(3);
changed27.setMinutes(changed27.getMinutes() - 10);
console.log(changed27.getMonth(), changed27.getDate(), changed27.getHours(), changed27.getMinutes());
function seconds27(date) {
  return date.getTime() / 1000;
}
const begin27 = performance.now(), start27 = Date.now();
console.log(seconds27(new Date()) > 1e9, performance.now() - begin27 >= 0, new Date().getTime() - start27 >= 0);
//// configurations of layers and models
const layer = tf.layers.dense({units: 3, inputShape: [4], kernelRegularizer: tf.regularizers.l2({l2: 0.5})});
const model = tf.sequential({layers: [layer]});
const config = layer.getConfig();
console.log(config.kernelRegularizer.config.l2, config.kernelRegularizer.className, config['kernelRegularizer']['className'], config.batchInputShape.length);
const all = model.getConfig();
console.log(all.layers.length, all.layers[0].config.units, all.layers[0].config.useBias, all.layers.map(l => l.config.units), all.layers[0].className);
for (const part of all.layers) console.log(part.className, part.config.kernelRegularizer.config.l2);
all.layers.forEach(part => console.log(part.config.kernelRegularizer.className));
const {units, kernelRegularizer} = layer.getConfig();
const {kernelRegularizer: {config: {l1}}} = layer.getConfig();
console.log(units, kernelRegularizer.config.l2, l1);
console.log(model.layers[0].getConfig().kernelRegularizer.config.l2, layer.kernelRegularizer.l2);
config.useBias = false;
const again = tf.layers.dense(config);
config.kernelRegularizer.config.l2 = 1;
console.log("useBias" in config, again.getWeights().length, config.kernelRegularizer.config.l2, Object.keys(config).length > 3);
//// keys of options that are not there
function trained(options) {
  const rate = options.rate;
  return rate === undefined ? 'none' : rate * options.steps;
}
console.log(trained({steps: 3}), trained({rate: 2, steps: 3}));
function built(options = {}) {
  const {units, name} = options;
  return [units == null ? 1 : units, name];
}
console.log(built(), built({units: 3}));
class Agent {
  constructor(game, config) {
    this.config = config;
    this.size = config.size;
  }
  act() { return [this.size, this.config.gamma]; }
  learn({batches, limit}) { return limit > 2 ? limit : batches; }
}
console.log(new Agent(1, {size: 3}).act(), new Agent(2, {gamma: 2}).act());
console.log(new Agent(1, {}).learn({batches: 4}), new Agent(1, {}).learn({batches: 4, limit: 3}));
const later = {a: 1};
later.b = 2;
console.log(later.a, later.b, later.c);
const both = ({p, q}) => [p, q];
console.log(both({p: 1}), [{p: 1}, {p: 2, q: 3}].map(({p, q}) => [p, q]));
const deep = options => options.deep.x;
console.log(deep({deep: {y: 1}}));
const {m, n, o: {k}} = {m: 1, o: {j: 2}};
console.log(m, n, k);
const rows = [{a: 1}, {b: 2}];
console.log(rows.map(row => row.a), rows[0].b, rows.filter(row => row.b > 1).length);
for (const row of rows) {
  if (row.b >= 2 || row.a < 0) console.log(row.b);
}
for (const {a, b} of rows) console.log(a, b);
//// indices that are read from tensors, and whole numbers among anything
const letters = 'abc';
const codes = tf.tensor1d([2, 0]).dataSync(), best = tf.tensor1d([3, 4]).argMax().dataSync();
const buffer = tf.buffer([1, 3]);
buffer.set(1, 0, 2);
console.log(letters[codes[0]], letters[best[0]], letters[buffer.get(0, 2)]);
console.log(letters[tf.tensor1d([3, 4]).argMax().dataSync()[0]]);
const isWhole = x => Number.isInteger(x) && x > 0;
console.log(['10', 3, 2.5, null].map(isWhole), !Number.isInteger(letters));
//// patterns whose parts replace the value, or have defaults
let node = {value: 1, next: {value: 2, next: null}}, value;
({next: node, value} = node);
const [first, second = 5, ...others] = [7], rows = [{k: 1, v: [1, 2]}, {k: 2, v: [3]}];
console.log(value, node.value, first, second, others);
for (const [name, {v: [start, end = -1]}] of Object.entries({a: rows[0], b: rows[1]})) console.log(name, start, end);
const {k, v} = rows[rows.length - 1];
console.log(k, v);
//// initialization at the first use
const table = {}, counts = {};
function row(key) { return table[key] || (table[key] = {n: 0}); }
row('a').n++;
row('a').n += 2;
for (const word of ['x', 'y', 'x']) counts[word] = (counts[word] || 0) + 1;
for (const word of ['x', 'y', 'x']) (table[word] ??= []).push(word);
class Lazy {
  get() { return this.made || (this.made = [1]); }
  other() { this.b ??= 'z'; return this.b; }
  count(key) { const n = (this.seen ||= {})[key] || 0; this.seen[key] = n + 1; return n; }
}
const lazy = new Lazy();
console.log(table.a.n, counts.x, counts['y'], table['x'].length, lazy.get() === lazy.get(), lazy.other());
console.log(lazy.count('q'), lazy.count('q'), Object.keys(table).length, Math.max(...Object.values(counts)));
//// maps and sets know what is added to them
const groups = new Map(), seen = new Set();
for (const size of [1, 2, 3]) groups.set(size % 2 ? 'odd' : 'even', [...(groups.get(size % 2 ? 'odd' : 'even') || []), size]);
for (const [name, sizes] of groups) console.log(name.toUpperCase(), sizes.length, sizes.map(size => size * 2));
for (const sizes of groups.values()) seen.add(sizes.length);
console.log(groups.keys().next().value, [...seen].map(size => size + 1).sort((a, b) => a - b), [...groups.entries()].map(([name, sizes]) => name + sizes.length));
//// bytes of files
const fs = require('fs'), os = require('os'), path = require('node:path');
const file = path.join(os.tmpdir(), 'js2py_bytes.bin');
fs.writeFileSync(file, '\u00e9\u0001b');
const data = fs.readFileSync(file);
fs.writeFileSync(file, data);
console.log(data.length, data[0], data.readUInt16LE(1), `${data}`.length, data.toString().length, fs.readFileSync(file).slice(0, 2).toString('utf8'));
console.log(Array.from(new Uint8Array(data)), fs.readFileSync(file, 'utf8').length);
fs.unlinkSync(file);
