// Values whose TypeScript types tell what their parts are; many have names of attributes of tfpy's objects.
type Name = string;
interface Item { size: number; shape: number[]; name?: Name }
interface Box extends Item { weights: Record<Name, number[]>; at: Map<Name, Item> }
type Figure = {kind: 'circle', units: number} | {kind: 'rectangle', size: [number, number]};
interface Store { [key: string]: Item }
type Maker = (size: number, name?: Name) => Item;
enum Level { Low, High = 5 }

const make: Maker = (size, name) => name ? {size, shape: [size, 1], name} : {size, shape: [size, 1]};

// objects and maps
const store: Store = {p: make(1), q: make(2, 'two')};
for (const [key, {size, shape}] of Object.entries(store)) console.log(key + size, shape.join('-'), shape.length);
console.log(Object.values(store).map(item => item.name ?? 'none'), Object.keys(store).length);
const cache = new Map<Name, Item>([['a', make(3)]]);
cache.set('b', make(4, 'four'));
for (const [key, item] of cache) console.log(key.toUpperCase(), item.size, item.name === undefined);
for (const item of [...cache.values(), make(5)]) console.log(item.shape.concat([0]), item.shape.length);
cache.forEach(({size}, key) => console.log(key.length, size));
console.log(Array.from(cache).map(([key, item]) => `${key}${item.shape}`), [...cache.keys()].sort());
console.log(cache.keys().next().value, cache.get('b')!.shape[0], cache.get('c')?.size ?? -1);
const box: Box = {...make(6), weights: {w: [1, 2]}, at: cache};
console.log(box.weights['w'].length, box.weights.w.map(x => x + 1), box.at.get('a')!.size, box.shape.length);
const rows: Record<string, Item[]> = {};
for (const item of cache.values()) (rows[item.name ?? 'none'] ??= []).push(item);
console.log(Object.entries(rows).map(([key, items]) => key + items.length));

// tuples, unions, optional keys
function area(figure: Figure): number {
  return figure.kind === 'circle' ? 3 * figure.units ** 2 : figure.size[0] * figure.size[1];
}
console.log(area({kind: 'circle', units: 2}), area({kind: 'rectangle', size: [2, 3]}));
function pair(): [Name, Item] { return ['k', make(7)]; }
const [key, {size: width, name = 'unnamed'}] = pair();
console.log(key + 1, width, name, pair()[1].shape.length);
function scaled({size, name}: Partial<Item>, by?: {units?: number}): string {
  const units = by?.units ?? 1;
  return `${name === undefined ? 'none' : name}:${(size || 0) * units}`;
}
console.log(scaled({}), scaled({size: 2, name: 'x'}, {units: 3}), scaled(make(8), {}));

// generic classes, functions as values, parameters with defaults as attributes
class Bag<T> {
  private all: T[] = [];
  private readonly index: {[name: string]: T} = {};
  private listeners: Array<(name: string, at: number) => void> = [];
  constructor(readonly label: string, private options: {limit?: number} = {limit: 2}) {}
  add(name: string, value: T): this {
    this.index[name] = value;
    this.all.push(value);
    this.listeners.forEach(listener => listener(name, this.all.length));
    return this;
  }
  on(listener: (name: string, at: number) => void) { this.listeners.push(listener); }
  get(i: number) { return this.all[i]; }
  named(name: string): T { return this.index[name]; }
  limit(level = Level.Low): number { return (this.options.limit || 1) + level; }
}
const bag = new Bag<Item>('items');
bag.on((name, at) => console.log(name.trim(), at));
bag.add(' x ', make(9)).add('y', make(10, 'ten'));
console.log(bag.get(0).shape.length, bag.named('y').name, bag.limit(), bag.limit(Level.High), bag.label);

// promises within expressions
async function load(n: number): Promise<number[]> {
  if (n < 0) throw new Error('negative');
  return [n, n + 1];
}
async function run() {
  console.log(await load(1).then(([a, b]) => a * 10 + b), await load(2).then(v => v.map(x => x * x)));
  console.log(await load(-1).catch(error => [error.message.length]), (await load(3)).length);
}
run();
