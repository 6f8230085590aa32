export function list(n) {
  return Array.from({length: n}, (_, i) => 'w' + i);
}

export const join = parts => parts(2).join('+');
