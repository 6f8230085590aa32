module.exports = {
  half: n => n / 2,
  double(n) {
    return n * 2;
  },
};
