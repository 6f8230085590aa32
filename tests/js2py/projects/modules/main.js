import topK, {LARGEST as most, normalize} from './lib/top-k.js';
import * as stats from './lib/stats.js';
import {Basket, makeBasket, words, sum} from './store/index.js';
import {count, increase} from './lib/counter.js';
import {isEven} from './lib/even.js';
import './shared/greeting.js';

// What is known of functions of other files.
const best = topK([3, 9, 4, 1], 2);
console.log(best.values, best.indices, topK([5, 6], 1).indices[0], most);
console.log(normalize({low: 2, high: 4}, [2, 3, 4]), normalize({low: 1}, [1, 2]));
console.log(stats.mean([1, 2, 6]), stats.LIMITS.low, stats.spread([4, 9]).width);

// Classes of other files, by other names, and what makes them.
const basket = makeBasket('fruit');
basket.add('fig', 2).add('pear', 3);
console.log(basket.total, basket.concat('/'), basket instanceof Basket, basket.counts.fig);
class Box extends Basket {
  describe() {
    return 'box of ' + super.describe();
  }
}
console.log(new Box('nuts').add('nut', 1).describe(), words.join(words.list), sum([1, 2]));

// Variables that are set later, and files that import each other.
function show(counter) {
  console.log(counter, count);
}
increase();
increase();
show('steps');
console.log(count, isEven(10), isEven(7));
