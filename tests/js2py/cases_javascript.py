"""Scripts with statements, functions and classes of JavaScript, and the expected Python."""

from __future__ import annotations

# Name: (script, expected Python).
JAVASCRIPT = {
    "long conditions after `...`": (
        """
const sizes = [...inputShape.slice(0, 2), ...(place > 0 ? [filters, height, width] : [height, width, filters])];
const all = {...(somePlace > someOtherPlace ? theValuesOfTheFirstOne : theValuesOfTheSecondOne), another: 1};
""",
        """
sizes = [
    *input_shape[:2],
    *([filters, height, width] if place > 0 else [height, width, filters]),
]
all_ = {
    **(
        the_values_of_the_first_one
        if some_place > some_other_place
        else the_values_of_the_second_one
    ),
    "another": 1,
}
""",
    ),
    "optional keys of arguments": (
        """
function f(options, {size}) {
  const rate = options.rate;
  return rate > 0 ? rate * options.steps : size;
}
f({steps: 3}, {}); f({rate: 2, steps: 3}, {size: 1});
""",
        """
def f(options, options_2):
    size = options_2.get("size")
    rate = options.get("rate")
    return rate * options["steps"] if rate is not None and rate > 0 else size


f({"steps": 3}, {})
f({"rate": 2, "steps": 3}, {"size": 1})
""",
    ),
    "classes of arrays, and attributes before they are set": (
        """
import {Tensor, nextFrame, scalar} from 'deeplearn';
class Model {
  async setRate(rate) {
    if (this.rate instanceof Tensor) {
      this.rate.dispose();
    }
    this.rate = scalar(rate);
    await nextFrame();
  }
}
""",
        """
from tfpy import legacy as dl


class Model:
    rate = None

    def set_rate(self, rate):
        if isinstance(self.rate, (dl.NDArray, dl.Variable)):
            self.rate.dispose()
        self.rate = dl.scalar(rate)
""",
    ),
    "classes of graphs": (
        """
import {Graph, Tensor} from 'deeplearn';
const isSymbolic = (x) => x instanceof Tensor;
""",
        """
from tfpy import legacy as dl


def is_symbolic(x):
    return isinstance(x, dl.Tensor)
""",
    ),
    "dates": (
        """
const begin = new Date(2020, 0, 31), end = new Date(2020, month - 1, 1, hour);
f(end - begin, begin.getMonth() + 1, end.getTime(), new Date(end.getTime()), new Date().getTime());
begin.setDate(begin.getDate() + 1);
f(+begin, performance.now() - t0);
class Clock { getTime() { return 1; } }
f(new Clock().getTime(), other.getHours());
""",
        """
import datetime
import time

begin = datetime.datetime(2020, 1, 31)
end = datetime.datetime(2020, month, 1, hour)
f(
    (end.timestamp() - begin.timestamp()) * 1000,
    begin.month,
    end.timestamp() * 1000,
    datetime.datetime.fromtimestamp(end.timestamp()),
    time.time() * 1000,
)
begin += datetime.timedelta(days=1)
f(begin.timestamp() * 1000, time.perf_counter() * 1000 - t0)


class Clock:
    def get_time(self):
        return 1


f(Clock().get_time(), other.hour)
""",
    ),
    "calls on multiline expressions": (
        """
const a = tf.tensor([[1.25, 2.25, 3.25, 4.25, 5.25], [6.25, 7.25, 8.25, 9.25, 10.25]]).reshape([5, 2]);
tf.data.array([{x: 1, y: 'first', z: true}, {x: 2, y: 'second', z: false}, {x: 3, y: 'third', z: true}]).batch(2);
""",
        """
import tfpy as tf

a = tf.tensor(
    [[1.25, 2.25, 3.25, 4.25, 5.25], [6.25, 7.25, 8.25, 9.25, 10.25]]
).reshape([5, 2])
tf.data.array(
    [
        {"x": 1, "y": "first", "z": True},
        {"x": 2, "y": "second", "z": False},
        {"x": 3, "y": "third", "z": True},
    ]
).batch(2)
""",
    ),
    "comments": (
        """
// At the head.

const a = 1; // behind
/* a block
   of two lines */
const b = f(a, /* inner */ 2);
const c = {
  // before
  x: 1, // behind x
  y: 2,
};
function g() {
  // alone
}
""",
        """
# At the head.

a = 1  # behind
# a block
# of two lines
b = f(
    a,  # inner
    2,
)
c = {
    # before
    "x": 1,  # behind x
    "y": 2,
}


def g():
    # alone
    pass
""",
    ),
    "documentation": (
        """
/**
 * Adds numbers.
 *
 * @param {number} firstOne - One number.
 * @param {number=} second Another,
 *     in two lines.
 * @returns {number} Their sum.
 */
function add(firstOne, second) {
  return firstOne + second;
}
""",
        '''
def add(first_one, second):
    """Adds numbers.

    Args:
        first_one: One number.
        second: Another,
            in two lines.

    Returns:
        Their sum.
    """
    return first_one + second
''',
    ),
    "functions": (
        """
const square = x => x * x;
const run = async () => {
  await wait();
};
function* count(n) { yield* range(n); }
xs.forEach(function(x) { show(x); });
""",
        """
def square(x):
    return x * x


def run():
    wait()


def count(n):
    yield from range_(n)


for x in xs:
    show(x)
""",
    ),
    "function with a body gets a name": (
        """
const history = await model.fit(xs, ys, {
  epochs: 3,
  callbacks: {onEpochEnd: (epoch, logs) => { const loss = logs.loss; console.log(loss); }},
});
""",
        """
def on_epoch_end(epoch, logs):
    loss = logs["loss"]
    print(loss)


history = model.fit(xs, ys, epochs=3, callbacks={"on_epoch_end": on_epoch_end})
""",
    ),
    "function with a single return": (
        """
const f = tf.grad(x => { return x.square(); });
const g = tf.grad(function(x) { return x.square().add(x.mul(2)).mul(x.sub(1)).div(x.add(3)).sqrt().mean(); });
""",
        """
import tfpy as tf

f = tf.grad(lambda x: x.square())


def f_2(x):
    return x.square().add(x.mul(2)).mul(x.sub(1)).div(x.add(3)).sqrt().mean()


g = tf.grad(f_2)
""",
    ),
    "class": (
        """
class Net extends tf.layers.Layer {
  static className = 'Net';
  rate = 0.5;
  constructor(config) {
    super(config);
    this.numUnits = config.numUnits;
  }
  // What comes out.
  computeOutputShape(inputShape) { return [inputShape[0], this.numUnits]; }
  get size() { return this.numUnits; }
  static make(n) { return new Net({numUnits: n}); }
}
""",
        """
import tfpy as tf


class Net(tf.layers.Layer):
    class_name = "Net"

    def __init__(self, config):
        super().__init__(config)
        self.rate = 0.5
        self.num_units = config["numUnits"]

    # What comes out.
    def compute_output_shape(self, input_shape):
        return [input_shape[0], self.num_units]

    @property
    def size(self):
        return self.num_units

    @staticmethod
    def make(n):
        return Net({"numUnits": n})
""",
    ),
    "defaults": (
        """
function f(a, b = 2, c = [], {d, e = 1} = {}) { return [a, b, c, d, e]; }
""",
        """
def f(a, b=2, c=None, options=None):
    if c is None:
        c = []
    if options is None:
        options = {}
    d = options.get("d")
    e = options.get("e", 1)
    return [a, b, c, d, e]
""",
    ),
    "conditions": (
        """
if (a === null || b !== undefined) { f(); } else if (!c && d.length) g(); else h();
const x = a > 1 ? 'many' : 'one';
""",
        """
if a is None or b is not None:
    f()
else:
    # js2py: check: an empty list or dict counts as true in JavaScript, and as false in Python
    if not c and len(d):
        g()
    else:
        h()
x = "many" if a > 1 else "one"
""",
    ),
    "truth values": (
        """
const list = [], map = {}, model = tf.sequential();
if (list && !map) f();
if (model) g();
const n = count || 1;
""",
        """
import tfpy as tf

list_ = []
map_ = {}
model = tf.sequential()
if list_ is not None and map_ is None:
    f()
if model is not None:
    g()
# js2py: check: an empty list or dict counts as true in JavaScript, and as false in Python
n = count or 1
""",
    ),
    "switch": (
        """
switch (kind) {
  case 'a': // first
  case 'b':
    f();
    break;
  default:
    g();
}
""",
        """
# first
match kind:
    case "a" | "b":
        f()
    case _:
        g()
""",
    ),
    "loops": (
        """
for (let i = 0; i < n; i++) f(i);
for (let i = n - 1; i >= 0; i--) f(i);
for (let i = 1; i <= 9; i += 2) f(i);
for (const [k, v] of Object.entries(o)) f(k, v);
for (;;) { if (done()) break; }
""",
        """
for i in range(n):
    f(i)
for i in range(n - 1, -1, -1):
    f(i)
for i in range(1, 10, 2):
    f(i)
for k, v in o.items():
    f(k, v)
while True:
    if done():
        break
""",
    ),
    "lists": (
        """
const ys = xs.map((x, i) => x * i).filter(y => y > 1);
const has = xs.indexOf(3) !== -1;
const last = xs[xs.length - 1];
xs.sort((a, b) => b - a);
const total = xs.reduce((a, b) => a + b, 0);
""",
        """
ys = [y for y in [x * i for i, x in enumerate(xs)] if y > 1]
has = 3 in xs
last = xs[-1]
xs.sort(reverse=True)
total = sum(xs)
""",
    ),
    "strings": (
        """
const s = `${name}: ${(100 * acc).toFixed(1)}%`;
const t = 'n = ' + n + ' of ' + shape;
const u = words.map(w => w.trim()).join(', ');
""",
        """
s = f"{name}: {100 * acc:.1f}%"
t = f"n = {n} of {shape}"
u = ", ".join([w.strip() for w in words])
""",
    ),
    "errors": (
        """
try { f(); } catch (err) { throw new Error(`bad: ${err.message}`); } finally { g(); }
try { f(); } catch { g(); }
""",
        """
try:
    f()
except Exception as err:
    raise RuntimeError(f"bad: {err}")
finally:
    g()
try:
    f()
except Exception:
    g()
""",
    ),
    "long lines": (
        """
const model = tf.sequential({layers: [tf.layers.dense({units: 1, inputShape: [10]}), tf.layers.dropout({rate: 0.25})]});
const dataset = tf.data.csv(url, {hasHeader: true}).map(r => r.xs).shuffle(1000).batch(32);
if (someLongCondition && anotherLongCondition && yetAnotherLongCondition && theLastCondition) f();
""",
        """
import tfpy as tf

model = tf.sequential(
    layers=[tf.layers.dense(units=1, input_shape=[10]), tf.layers.dropout(rate=0.25)]
)
dataset = (
    tf.data.csv(url, has_header=True)
    .map(lambda r: r["xs"])
    .shuffle(1000)
    .batch(32)
)
# js2py: check: an empty list or dict counts as true in JavaScript, and as false in Python
if (
    some_long_condition
    and another_long_condition
    and yet_another_long_condition
    and the_last_condition
):
    f()
""",
    ),
    "names": (
        """
const learningRate = 1, sum = 2, is = 3, LIMIT = 4, $el = 5, _x = 6, xTrain2 = 7;
use(learningRate, sum, is, LIMIT, $el, _x, xTrain2);
""",
        """
learning_rate = 1
sum_ = 2
is_ = 3
LIMIT = 4
el = 5
_x = 6
x_train2 = 7
use(learning_rate, sum_, is_, LIMIT, el, _x, x_train2)
""",
    ),
    "attributes set outside the constructor": (
        """
class Loader {
  load() { if (!this.model) this.model = make(); return this.model; }
}
""",
        """
class Loader:
    model = None

    def load(self):
        if self.model is None:
            self.model = make()
        return self.model
""",
    ),
    "global variable set in unconverted functions": (
        """
function f() { let t = x.toPrecision(3); const g = () => { t = 5; }; g(); return t; }
""",
        """
def f():
    # js2py: `toPrecision` has no counterpart
    #     let t = x.toPrecision(3);
    t = None
    raise NotImplementedError("line 2: `toPrecision` has no counterpart")

    def g():
        nonlocal t
        t = 5

    g()
    return t
""",
    ),
    "conditions of comprehensions": (
        """
const found = categoryNames.filter(name => everything === 'yes' ? true : name.startsWith(wantedCategory));
""",
        """
found = [
    name
    for name in category_names
    if (True if everything == "yes" else name.startswith(wanted_category))
]
""",
    ),
    "generators as arguments, negations, assignments within": (
        """
if (xs.every(x => x > 1) && !xs.some(x => x > 9)) f(xs.find(x => x > 2) ?? 5);
const isEverythingInTheListAsItShouldBe = itemsOfTheList.every(item => item > smallest && item < largest);
let i = 0;
while (i < 3) f(i++);
""",
        """
if all(x > 1 for x in xs) and not any(x > 9 for x in xs):
    f(found if (found := next((x for x in xs if x > 2), None)) is not None else 5)
is_everything_in_the_list_as_it_should_be = all(
    item > smallest and item < largest
    for item in items_of_the_list
)
i = 0
while i < 3:
    f((i := i + 1) - 1)
""",
    ),
    "patterns whose parts need a variable": (
        """
let node = first(), value;
({next: node, value} = node);
[a, b = 1, ...others] = list;
const {k, v} = items[i], {x, y} = f();
for (const [name, {size}] of Object.entries(found)) g(name, size);
""",
        """
node = first()
value = None
parts = node
node = parts["next"]
value = parts["value"]
a = list_[0]
b = list_[1] if len(list_) > 1 else 1
others = list_[2:]
k = items[i]["k"]
v = items[i]["v"]
parts_2 = f()
x = parts_2["x"]
y = parts_2["y"]
for name, part in found.items():
    size = part["size"]
    g(name, size)
""",
    ),
    "lists that are only iterated over": (
        """
g(Object.keys(a).length, Math.max(...Object.values(a)), Object.keys(a).join(), [...Object.keys(a), 1]);
g(new Set(Object.values(a)), Object.keys(a).sort(), Object.values(a).reduce((x, y) => x + y, 0));
class List { update(values) { return values[0]; } }
new List().update(Object.values(a));
""",
        """
g(len(a), max(a.values()), ",".join(a), [*a, 1])
g(set(a.values()), sorted(a), sum(a.values()))


class List:
    def update(self, values):
        return values[0]


List().update(list(a.values()))
""",
    ),
    "initialization at the first use": (
        """
const table = {}, counts = {};
function row(k) { return table[k] || (table[k] = {size: 0}); }
row('a').size++;
for (const word of words) counts[word] = (counts[word] || 0) + 1;
class Lazy {
  get() { return this.made || (this.made = []); }
  other() { this.b ??= f(); return this.b; }
  count(k) { const n = (this.seen ||= {})[k] || 0; this.seen[k] = n + 1; return n; }
}
const seen = new Map(), value = seen.get(k) ?? f(), list = seen.get(k) ?? [];
let node = {size: 1, next: null};
while (node) node = node.next;
""",
        """
table = {}
counts = {}


def row(k):
    return table.setdefault(k, {"size": 0})


row("a")["size"] += 1
for word in words:
    counts[word] = (counts.get(word) or 0) + 1


class Lazy:
    made = None
    b = None
    seen = None

    def get(self):
        if self.made is None:
            self.made = []
        return self.made

    def other(self):
        if self.b is None:
            self.b = f()
        return self.b

    def count(self, k):
        if self.seen is None:
            self.seen = {}
        n = self.seen.get(k) or 0
        self.seen[k] = n + 1
        return n


seen = {}
value = seen.get(k) if seen.get(k) is not None else f()
list_ = seen.get(k, [])
node = {"size": 1, "next": None}
while node is not None:
    node = node["next"]
""",
    ),
    "promises within expressions": (
        """
const total = await load(3).then(v => v[0] + v[1]);
const found = await load(4).then(read).catch(error => 'none ' + error.message);
jobs.push(load(n).then(([a]) => { g(a); return a + n; }));
""",
        """
v = load(3)
total = v[0] + v[1]
try:
    found_2 = read(load(4))
except Exception as error:
    found_2 = f"none {error}"
found = found_2


def callback(pair):
    a = pair[0]
    g(a)
    return a + n


jobs.append(callback(load(n)))
""",
    ),
}
