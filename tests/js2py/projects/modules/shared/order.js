export function order(values) {
  return values.map((value, index) => ({value, index})).sort((a, b) => b.value - a.value);
}

export function sum(values) {
  return values.reduce((a, b) => a + b, 0);
}
