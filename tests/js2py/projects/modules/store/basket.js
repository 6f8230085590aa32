export class Container {
  constructor(name) {
    this.name = name;
    this.counts = {};
  }

  add(item, count) {
    this.counts[item] = (this.counts[item] || 0) + count;
    return this;
  }

  get total() {
    return Object.values(this.counts).reduce((a, b) => a + b, 0);
  }

  concat(sign) {
    return Object.keys(this.counts).join(sign);
  }

  describe() {
    return this.name + ': ' + this.total;
  }
}
