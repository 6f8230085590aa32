"""GLSL functions as precise as numpy's, where the built-in ones are not (docs/explanation/measured-gpu.md).

They use only + - * / fma and the bits of numbers. Every intermediate value is `precise`: otherwise a compiler may
reorder or contract operations, and the error terms vanish. Rounding is done by adding large numbers, since conversions
take a GPU several times as long. Polynomial coefficients are those of the Cephes library
(Moshier) and of fdlibm (Sun Microsystems). A shader includes the functions that it uses, directly or not.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

_BASICS = """
float m_inf() { return uintBitsToFloat(0x7f800000u); }
float m_quiet_nan() { return uintBitsToFloat(0x7fc00000u); }
bool m_isnan(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }
bool m_isinf(float x) { return (floatBitsToUint(x) & 0x7fffffffu) == 0x7f800000u; }
bool m_isfinite(float x) { return (floatBitsToUint(x) & 0x7f800000u) != 0x7f800000u; }
float m_max(float a, float b) { return m_isnan(a) ? a : (m_isnan(b) ? b : (a > b ? a : b)); }
float m_min(float a, float b) { return m_isnan(a) ? a : (m_isnan(b) ? b : (a < b ? a : b)); }
float m_relu(float x) {  // by bits: a compiler may make a maximum of a comparison, and lose NaN
  return floatBitsToUint(x) - 0x80000001u < 0x7f800000u ? 0. : x;
}
float m_relu6(float x) { F y = m_relu(x); return floatBitsToUint(y) - 0x40c00001u < 0x3ec00000u ? 6. : y; }
float m_copysign(float a, float s) {  // not by masks, which LLVM 15 (llvmpipe) confuses on CPUs with AVX-512
  return floatBitsToInt(s) < 0 ? -abs(a) : abs(a);
}
float m_nearest(float x, float rate, out int n) {  // the whole number next to x * rate, up to 2^22
  F t = fma(x, rate, 12582912.); n = floatBitsToInt(t) - 0x4b400000; F k = t - 12582912.;
  return k;
}
"""

# x / y and sqrt(x) where the device rounds them correctly, and a Newton step where it does not. Such a device divides
# by way of 1 / y, which is less than its smallest number when y is large: both are made smaller then. A quotient that
# contributes only a small part to a result is computed by the device's own division.
_DIVISION = {
    True: """
float m_div(float x, float y) { F q = x / y; return q; }
float m_part(float x, float y) { F q = x / y; return q; }
float m_sqrt(float x) { F s = sqrt(x); return s; }
""",
    False: """
float m_part(float x, float y) {  // for x up to 1 and y from 1 to 2, where nothing can overflow
  F i = 1. / y; F q = x * i; F r = fma(-q, y, x); F c = fma(r, i, q);
  return c;
}
float m_div(float x, float y) {
  if (abs(y) > 1e37) { x *= .0625; y *= .0625; }
  F q = x / y; F r = fma(-q, y, x); F i = 1. / y; F c = fma(r, i, q);
  float ax = abs(x), ay = abs(y), aq = abs(q);
  bool plain = ax > 1e-25 && ax < 1e37 && ay > 1e-30 && ay < 1e30 && aq > 1e-30 && aq < 1e37;
  return plain ? c : q;
}
float m_sqrt(float x) {
  float s = sqrt(x);
  if (!(x > 1e-25) || m_isinf(x)) return x == 0. ? x : s;
  F r = fma(-s, s, x); F h = .5 / s; F v = fma(r, h, s);
  return v;
}
""",
}

_EXPONENTIALS = """
float m_scale(float x, int n) {
  int h = n >> 1; F r = x * intBitsToFloat((h + 127) << 23); r = r * intBitsToFloat((n - h + 127) << 23);
  return r;
}
float m_expm1_poly(float r) {
  F p = fma(1.9875691500e-4, r, 1.3981999507e-3); p = fma(p, r, 8.3334519073e-3); p = fma(p, r, 4.1665795894e-2);
  p = fma(p, r, 1.6666665459e-1); p = fma(p, r, 5.0000001201e-1); F q = fma(p, r * r, r);
  return q;
}
float m_exp_reduced(float x, out int n) {
  float k = m_nearest(x, 1.44269504, n);
  F r = fma(-k, 0.693145751953125, x); r = fma(-k, 1.428606765330187e-06, r);
  return r;
}
float m_exp_sum(float hi, float lo) {
  int n; F r = m_exp_reduced(clamp(hi, -110., 90.), n); r = r + lo; F e = m_expm1_poly(r) + 1.;
  return m_isnan(hi) ? hi : m_scale(e, n);
}
float m_exp(float x) {
  int n; float r = m_exp_reduced(clamp(x, -110., 90.), n); F e = m_expm1_poly(r) + 1.;
  return m_isnan(x) ? x : m_scale(e, n);
}
float m_exp_below(float x) {  // of 0 and less: shorter, and 0 where there are denormal numbers only
  int n; F r = m_exp_reduced(x, n); F e = m_expm1_poly(r) + 1.; F v = e * intBitsToFloat((n + 127) << 23);
  return x < -87. ? 0. : v;
}
float m_expm1_near(float x) {  // from -25 to 20
  int n; F r = m_exp_reduced(x, n); float w = intBitsToFloat((n + 127) << 23); F e = fma(m_expm1_poly(r), w, w - 1.);
  return e;
}
float m_expm1_below(float x) {  // of 0 and less, by one way
  return m_isnan(x) ? x : m_expm1_near(max(x, -25.));
}
float m_expm1(float x) {
  if (m_isnan(x)) return x;
  if (abs(x) < .3466) return x == 0. ? x : m_expm1_poly(x);
  if (x > 40.) return m_exp(x);
  if (x < -18.) return -1.;
  int n; float k = m_nearest(x, 1.44269504, n);
  F t = k * 0.693145751953125; F r = x - t; F u = k * 1.428606765330187e-06; r = r - u;
  F w = intBitsToFloat((n + 127) << 23); F e = fma(m_expm1_poly(r), w, w - 1.);
  return e;
}
float m_log_sum(float f, float n) {  // log(1 + f) + n log(2), f being near 0
  F s = f / (2. + f); F z = s * s; F w = z * z;
  F R = fma(w, .24279078841, .40000972152) * w + fma(w, .28498786688, .66666662693) * z;
  F h = .5 * f * f; F a = s * (h + R) + n * 9.0580006145e-06; F b = (h - a) - f; F o = n * .69313812256 - b;
  return o;
}
float m_log(float x) {
  if (m_isnan(x) || x < 0.) return m_quiet_nan();
  if (x == 0.) return -m_inf();
  if (m_isinf(x)) return x;
  int k = 0;
  if (x < 1.17549435e-38) { x *= 8388608.; k = -23; }
  int ix = floatBitsToInt(x) + (0x3f800000 - 0x3f3504f3);
  k += (ix >> 23) - 127;
  F f = intBitsToFloat((ix & 0x7fffff) + 0x3f3504f3) - 1.;
  return m_log_sum(f, float(k));
}
float m_log1p(float x) {
  if (m_isnan(x) || x == 0.) return x;
  if (m_isinf(x)) return x < 0. ? m_quiet_nan() : x;
  F u = 1. + x;
  if (u <= 0.) return m_log(u);
  F c = abs(x) > 1. ? 1. - (u - x) : x - (u - 1.); F v = m_log(u) + c / u;
  return v;
}
float m_sigmoid(float x) {
  if (m_isnan(x)) return x;
  F e = m_exp(-abs(x)); F d = 1. + e;
  return m_part(x >= 0. ? 1. : e, d);
}
float m_tanh(float x) {
  float a = min(abs(x), 10.);  // there it is 1
  F e = m_expm1_near(a + a); F y = e / (e + 2.);
  return m_isnan(x) ? x : m_copysign(y, x);
}
float m_sinh(float x) {
  float a = abs(x);
  if (a < .3) {
    F z = x * x; F p = fma(z, 2.7557319e-6, 1.9841270e-4); p = fma(p, z, 8.3333333e-3); p = fma(p, z, .16666667);
    F v = fma(x * z, p, x);
    return v;
  }
  if (a > 80.) { F t = m_exp(.5 * a); F v = (.5 * t) * t; return m_copysign(v, x); }
  F e = m_exp(a); F v = .5 * e - m_div(.5, e);
  return m_copysign(v, x);
}
float m_cosh(float x) {
  float a = abs(x);
  if (a > 80.) { F t = m_exp(.5 * a); F v = (.5 * t) * t; return v; }
  F e = m_exp(a); F v = .5 * e + m_div(.5, e);
  return v;
}
float m_asinh(float x) {
  float a = abs(x);
  if (m_isnan(x) || x == 0. || m_isinf(x)) return x;
  if (a > 1e8) { F l = m_log(a) + .693147180559945; return m_copysign(l, x); }
  F s = m_sqrt(fma(a, a, 1.)); F v = m_log1p(a + m_div(a * a, 1. + s));
  return m_copysign(v, x);
}
float m_acosh(float x) {
  if (!(x >= 1.)) return m_quiet_nan();
  if (x > 1e8) { F l = m_log(x) + .693147180559945; return l; }
  F t = x - 1.; F v = m_log1p(t + m_sqrt(fma(t, t, 2. * t)));
  return v;
}
float m_atanh(float x) {
  float a = abs(x);
  if (!(a <= 1.)) return m_quiet_nan();
  if (x == 0.) return x;
  F v = .5 * m_log1p(m_div(2. * a, 1. - a));
  return m_copysign(v, x);
}
float m_log1p_of_part(float y) {  // of 0 to 1: nothing is lost where 1 is taken from it, so that one way serves all
  bool large = y > .41421356; F f = large ? (y - 1.) * .5 : y;
  return m_log_sum(f, large ? 1. : 0.);
}
float m_softplus(float x) {
  F v = max(x, 0.) + m_log1p_of_part(m_exp(-abs(x)));
  return m_isnan(x) ? x : v;
}
float m_erf(float x) {
  float v = abs(x); F t = m_div(1., fma(.3275911, v, 1.));
  F p = fma(1.061405429, t, -1.453152027); p = fma(p, t, 1.421413741); p = fma(p, t, -.284496736);
  p = fma(p, t, .254829592); F r = 1. - p * t * m_exp(-v * v);
  return x < 0. ? -r : (x == 0. ? 0. : r);
}
"""

# Angles are brought into [-π/4, π/4] by three parts of π/2 as long as that loses nothing, and beyond by as many bits
# of 2/π as matter to the result (Payne and Hanek 1983).
_TRIGONOMETRY = """
float m_reduce_huge(float x, out int q) {
  const uint two_over_pi[8] = uint[8](0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u,
    0x3c439041u, 0xfe5163abu);
  uint bits = floatBitsToUint(x), m = (bits & 0x7fffffu) | 0x800000u;
  int e = int((bits >> 23) & 0xffu) - 150 + 30;
  int i = e >> 5; uint s = uint(e & 31);
  uint w0 = two_over_pi[i], w1 = two_over_pi[i + 1], w2 = two_over_pi[i + 2], w3 = two_over_pi[i + 3];
  if (s != 0u) { uint r = 32u - s; w0 = (w0 << s) | (w1 >> r); w1 = (w1 << s) | (w2 >> r); w2 = (w2 << s) | (w3 >> r); }
  uint h1, l1, h2, l2, carry;
  umulExtended(m, w1, h1, l1); umulExtended(m, w2, h2, l2);
  uint mid = uaddCarry(l1, h2, carry); uint high = m * w0 + h1 + carry;
  uint quarter = high >> 30;
  uint f1 = (high << 2) | (mid >> 30), f0 = (mid << 2) | (l2 >> 30);
  bool up = (f1 & 0x80000000u) != 0u;
  if (up) { quarter += 1u; f1 = ~f1; f0 = ~f0; }
  int shift = f1 == 0u ? 31 : 31 - findMSB(f1);
  if (shift > 0) f1 = (f1 << shift) | (f0 >> (32 - shift));
  F r = float(f1) * intBitsToFloat((127 - 32 - shift) << 23); r = r * 1.57079632679489662;
  bool minus = (bits & 0x80000000u) != 0u;
  q = int(minus ? (4u - (quarter & 3u)) & 3u : quarter & 3u);
  return up != minus ? -r : r;
}
float m_reduce(float x, out int q) {
  if (abs(x) > 1000.) return m_reduce_huge(x, q);
  int whole; float n = m_nearest(x, .636619772367581343, whole);
  q = whole & 3;
  F r = x - n * 1.5706787109375; r = r - n * 0.00011761486530303955; r = r - n * 9.9209357968e-10;
  return r;
}
float m_sin_near(float r) {
  F z = r * r; F p = fma(-1.9515295891e-4, z, 8.3321608736e-3); p = fma(p, z, -1.6666654611e-1); F v = fma(r * z, p, r);
  return v;
}
float m_cos_near(float r) {
  F z = r * r; F p = fma(2.443315711809948e-5, z, -1.388731625493765e-3); p = fma(p, z, 4.166664568298827e-2);
  F v = fma(z * z, p, fma(-.5, z, 1.));
  return v;
}
float m_sin(float x) {
  if (!m_isfinite(x)) return m_quiet_nan();
  if (x == 0.) return x;
  int q; float r = m_reduce(x, q); float v = (q & 1) == 1 ? m_cos_near(r) : m_sin_near(r);
  return (q & 2) != 0 ? -v : v;
}
float m_cos(float x) {
  if (!m_isfinite(x)) return m_quiet_nan();
  int q; float r = m_reduce(x, q); float v = (q & 1) == 1 ? m_sin_near(r) : m_cos_near(r);
  return q == 1 || q == 2 ? -v : v;
}
float m_tan(float x) {
  if (!m_isfinite(x)) return m_quiet_nan();
  if (x == 0.) return x;
  int q; float r = m_reduce(x, q); float s = m_sin_near(r), c = m_cos_near(r);
  return (q & 1) == 1 ? -m_div(c, s) : m_div(s, c);
}
float m_atan(float x) {
  float a = abs(x), y = 0.;
  if (m_isnan(x) || x == 0.) return x;
  if (a > 2.414213562373095) { y = 1.5707963267948966; a = m_isinf(a) ? -0. : -m_div(1., a); }
  else if (a > .4142135623730950) { y = .7853981633974483; F nu = a - 1.; F de = a + 1.; a = m_div(nu, de); }
  F z = a * a; F p = fma(8.05374449538e-2, z, -1.38776856032e-1); p = fma(p, z, 1.99777106478e-1);
  p = fma(p, z, -3.33329491539e-1); F v = y + fma(p * z, a, a);
  return x < 0. ? -v : v;
}
float m_atan2(float y, float x) {
  if (m_isnan(x) || m_isnan(y)) return m_quiet_nan();
  bool left = floatBitsToInt(x) < 0, below = floatBitsToInt(y) < 0;
  float ax = abs(x), ay = abs(y), r;
  if (ay == 0.) r = left ? 3.14159265358979 : 0.;
  else if (m_isinf(ax) && m_isinf(ay)) r = left ? 2.35619449019234 : .785398163397448;
  else if (ax == 0. || m_isinf(ay)) r = 1.57079632679490;
  else if (m_isinf(ax)) r = left ? 3.14159265358979 : 0.;
  else { F t = m_atan(m_div(ay, ax)); F u = 3.14159265358979 - t; r = left ? u : t; }
  return below ? -r : r;
}
float m_asin(float x) {
  float a = abs(x);
  if (!(a <= 1.)) return m_quiet_nan();
  if (x == 0.) return x;
  float z = a > .5 ? .5 * (1. - a) : a * a, s = a > .5 ? m_sqrt(z) : a;
  F p = fma(4.2163199048e-2, z, 2.4181311049e-2); p = fma(p, z, 4.5470025998e-2); p = fma(p, z, 7.4953002686e-2);
  p = fma(p, z, 1.6666752422e-1); F v = fma(s * z, p, s);
  if (a > .5) v = 1.57079637 - (v + v + 4.37113883e-8);
  return m_copysign(v, x);
}
float m_acos(float x) {
  if (!(abs(x) <= 1.)) return m_quiet_nan();
  if (x > .5) { F v = 2. * m_asin(m_sqrt(.5 * (1. - x))); return v; }
  if (x < -.5) { F v = 3.14159274 - (2. * m_asin(m_sqrt(.5 * (1. + x))) + 8.74227766e-8); return v; }
  F v = 1.57079637 - (m_asin(x) + 4.37113883e-8);
  return v;
}
"""

# The logarithm of |x| is carried in two floats (products split after Dekker 1971), so that y times it is exact enough.
_POWER = """
float m_pow(float x, float y) {
  if (y == 0.) return 1.;
  if (m_isnan(x) || m_isnan(y)) return m_quiet_nan();
  bool whole = floor(y) == y, odd = whole && abs(y) < 16777216. && (int(y) & 1) != 0; float a = abs(x);
  if (m_isinf(y)) return a == 1. ? m_quiet_nan() : ((a > 1.) == (y > 0.) ? m_inf() : 0.);
  if (a == 0.) { float r = y < 0. ? m_inf() : 0.; return odd && floatBitsToInt(x) < 0 ? -r : r; }
  if (m_isinf(a)) { float r = y < 0. ? 0. : m_inf(); return x < 0. && odd ? -r : r; }
  if (x < 0. && !whole) return m_quiet_nan();
  bool minus = x < 0. && odd;
  int k = 0;
  if (a < 1.17549435e-38) { a *= 8388608.; k = -23; }
  int ix = floatBitsToInt(a) + (0x3f800000 - 0x3f3504f3);
  k += (ix >> 23) - 127;
  float m = intBitsToFloat((ix & 0x7fffff) + 0x3f3504f3);
  F f = m - 1.; F d = m + 1.; F dl = m - (d - 1.); F sh = m_div(f, d);
  F c0 = sh * 4097.; F s1 = c0 - (c0 - sh); F s2 = sh - s1; F c1 = d * 4097.; F d1 = c1 - (c1 - d); F d2 = d - d1;
  F pr = sh * d; F pe = ((s1 * d1 - pr) + s1 * d2 + s2 * d1) + s2 * d2;
  F rem = ((f - pr) - pe) - sh * dl; F sl = rem / d;
  F z = sh * sh; F R = fma(.0909090909, z, .111111111); R = fma(R, z, .142857143); R = fma(R, z, .2);
  R = fma(R, z, .333333333);
  F t = 2. * sh; F tl = 2. * sh * z * R + 2. * sl; F lh = t + tl; F ll = tl - (lh - t);
  float n = float(k);
  F kh = n * .693145751953125; F eh = kh + lh; F bb = eh - kh;
  F el = ((kh - (eh - bb)) + (lh - bb)) + (ll + n * 1.428606765330187e-06);
  F g = eh + el; el = el - (g - eh); eh = g;
  F cy = y * 4097.; F y1 = cy - (cy - y); F y2 = y - y1;
  if (abs(y) > 1e30) { y1 = y; y2 = 0.; }
  F ce = eh * 4097.; F e1 = ce - (ce - eh); F e2 = eh - e1;
  F ph = y * eh;
  if (abs(ph) > 1e30) return ph > 0. ? m_inf() : 0.;
  F pl = (((y1 * e1 - ph) + y1 * e2 + y2 * e1) + y2 * e2) + y * el;
  F th = ph + pl; F rest = pl - (th - ph);
  if (th > 89.) return minus ? -m_inf() : m_inf();
  if (th < -104.) return minus ? -0. : 0.;
  float r = m_exp_sum(th, rest);
  return minus ? -r : r;
}
"""

# Of a place, two words, and a third of the number of places: see the numpy kernel, which gives the same numbers.
_RANDOM = """
float m_uniform(uvec3 at, uint third) {
  uint part = at.x < third ? 0u : at.x - third < third ? 1u : 2u;
  uvec3 v = uvec3(at.x - part * third, at.yz) * 1664525u + 1013904223u;
  v.x += v.y * v.z; v.y += v.z * v.x; v.z += v.x * v.y;
  v ^= v >> 16u;
  v.x += v.y * v.z; v.y += v.z * v.x; v.z += v.x * v.y;
  return float((part == 0u ? v.x : part == 1u ? v.y : v.z) >> 8u) * 5.9604644775390625e-8;
}
"""

# The quotient of an index by a parameter is a product (see maps.py), since a GPU division takes twenty operations.
# GLSL leaves / and % of negative integers undefined, so magnitudes are divided. m_fmod subtracts shifted divisors:
# exact. A quotient may have been rounded up to a whole number; the remainder tells.
_INTEGERS = """
uint m_quotient(uint n, uint factor, uint shift) {
  uint high, low; umulExtended(n, factor, high, low);
  return factor == 0u ? n : high >> shift;
}
int m_floordiv(int a, int b) {
  if (b == 0) return 0;
  uint ua = uint(abs(a)), ub = uint(abs(b)), q = ua / ub, r = ua - q * ub;
  return (a < 0) != (b < 0) ? -int(q) - (r != 0u ? 1 : 0) : int(q);
}
int m_floormod(int a, int b) { return b == 0 ? 0 : a - m_floordiv(a, b) * b; }
int m_to_int(float x) {
  if (abs(x) < 2147483648.) return int(x);
  uint bits = floatBitsToUint(x), e = (bits >> 23) & 0xffu;
  if (e == 255u || e >= 182u) return 0;
  int v = int(((bits & 0x7fffffu) | 0x800000u) << (e - 150u));
  return (bits & 0x80000000u) != 0u ? -v : v;
}
float m_fmod(float a, float b) {
  uint ua = floatBitsToUint(a) & 0x7fffffffu, ub = floatBitsToUint(b) & 0x7fffffffu;
  if (ub == 0u || ua >= 0x7f800000u || ub > 0x7f800000u) return m_quiet_nan();
  if (ua < ub) return a;
  int ea = int(ua >> 23), eb = int(ub >> 23);
  uint ma = ea == 0 ? ua : (ua & 0x7fffffu) | 0x800000u, mb = eb == 0 ? ub : (ub & 0x7fffffu) | 0x800000u;
  ea = max(ea, 1); eb = max(eb, 1);
  for (; ea > eb; ea--) { ma %= mb; ma <<= 1; }
  ma %= mb;
  if (ma == 0u) return m_copysign(0., a);
  int up = min(23 - findMSB(ma), eb - 1);
  ma <<= up; eb -= up;
  uint bits = ma < 0x800000u ? ma : (ma & 0x7fffffu) | (uint(eb) << 23);
  return m_copysign(uintBitsToFloat(bits), a);
}
float m_mod(float a, float b) {
  float r = m_fmod(a, b);
  if ((a < 0.) == (b < 0.)) return r;
  precise float moved = r + b;  // only in double precision would it round to b where r is as small as this:
  return abs(r) <= abs(b) * 5.5511151e-17 ? m_fmod(b, b) : moved;
}
float m_floor_quotient(float x, float y) {
  float d = m_div(x, y), q = floor(d);
  if (d != q || m_isinf(y) || abs(q) >= 16777216.) return q;
  float r = m_fmod(x, y);
  bool nearer_to_next = 2. * abs(r) > abs(y), positive = (x < 0.) == (y < 0.);
  return r != 0. && nearer_to_next == positive ? q - 1. : q;
}
"""

_COMPLEX = """
vec2 m_cmul(vec2 a, vec2 b) {
  precise vec2 v = vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
  return v;
}
float m_hypot(vec2 a) {
  float x = abs(a.x), y = abs(a.y), big = max(x, y), small = min(x, y);
  if (m_isinf(x) || m_isinf(y)) return m_inf();
  if (m_isnan(x) || m_isnan(y)) return m_quiet_nan();
  if (big == 0.) return 0.;
  F q = m_div(small, big); F v = big * m_sqrt(fma(q, q, 1.));
  return v;
}
"""

_NAME = re.compile(r"\bm_\w+")
_DEFINITION = re.compile(r"^\w+ (m_\w+)\(", re.MULTILINE)


@functools.cache
def _library(exact_division: bool) -> dict[str, str]:
    """The source of each function by name, each after those that it calls."""
    parts = _BASICS, _DIVISION[exact_division], _EXPONENTIALS, _TRIGONOMETRY, _POWER, _RANDOM, _INTEGERS, _COMPLEX
    text = "".join(parts)
    starts = [(m.start(), m[1]) for m in _DEFINITION.finditer(text)]
    ends = [start for start, _ in starts[1:]] + [len(text)]
    return {name: text[start:end].rstrip() for (start, name), end in zip(starts, ends, strict=True)}


@functools.cache
def _with_callees(name: str, exact_division: bool) -> frozenset[str]:
    called = set(_NAME.findall(_library(exact_division)[name])) - {name}
    return frozenset({name}.union(*(_with_callees(c, exact_division) for c in called)))


def functions_for(code: str, exact_division: bool) -> str:
    """The functions of the library that some GLSL code calls, directly or not."""
    needed: set[str] = set()
    for name in set(_NAME.findall(code)):
        needed |= _with_callees(name, exact_division)
    if not needed:
        return ""
    return "#define F precise float\n" + "\n".join(_in_order(needed, exact_division)) + "\n"


def _in_order(names: Iterable[str], exact_division: bool) -> list[str]:
    return [text for name, text in _library(exact_division).items() if name in names]
