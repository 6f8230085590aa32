const {double} = require('./numbers');

class Timer {
  constructor(name, seconds) {
    this.name = name;
    this.seconds = double(seconds);
  }

  label() {
    return `${this.name} ${this.seconds}`;
  }
}

module.exports = Timer;
