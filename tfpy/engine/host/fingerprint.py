"""Fingerprint64 of FarmHash: a hash of bytes that is the same on all platforms and versions.

Source: Geoff Pike, FarmHash (github.com/google/farmhash), namespace farmhashna; the constants are from there.
"""

from __future__ import annotations

import struct

_MASK = (1 << 64) - 1
_K0 = 0xC3A5C85C97CB3127
_K1 = 0xB492B66FBE98F273
_K2 = 0x9AE16A3B2F90404F
_SEED = 81


def fingerprint64(data: bytes) -> int:
    """The fingerprint of a string's bytes, a whole number below 2⁶⁴."""
    size = len(data)
    if size <= 16:
        return _up_to_16(data, size)
    if size <= 32:
        return _up_to_32(data, size)
    if size <= 64:
        return _up_to_64(data, size)
    return _longer(data, size)


def _word(data: bytes, at: int) -> int:
    return int(struct.unpack_from("<Q", data, at)[0])


def _half_word(data: bytes, at: int) -> int:
    return int(struct.unpack_from("<I", data, at)[0])


def _rotated(value: int, by: int) -> int:
    value &= _MASK
    return (value >> by | value << (64 - by)) & _MASK


def _mixed(value: int) -> int:
    value &= _MASK
    return value ^ value >> 47


def _of_two(u: int, v: int, factor: int) -> int:
    a = _mixed(((u ^ v) & _MASK) * factor)
    b = _mixed(((v & _MASK) ^ a) * factor)
    return b * factor & _MASK


def _up_to_16(data: bytes, size: int) -> int:
    if size >= 8:
        factor = _K2 + size * 2
        a = _word(data, 0) + _K2
        b = _word(data, size - 8)
        c = _rotated(b, 37) * factor + a
        d = (_rotated(a, 25) + b) * factor
        return _of_two(c, d, factor)
    if size >= 4:
        return _of_two(size + (_half_word(data, 0) << 3), _half_word(data, size - 4), _K2 + size * 2)
    if size:
        y = data[0] + (data[size >> 1] << 8)
        z = size + (data[size - 1] << 2)
        return _mixed(y * _K2 ^ z * _K0) * _K2 & _MASK
    return _K2


def _up_to_32(data: bytes, size: int) -> int:
    factor = _K2 + size * 2
    a = _word(data, 0) * _K1
    b = _word(data, 8)
    c = _word(data, size - 8) * factor
    d = _word(data, size - 16) * _K2
    return _of_two(_rotated(a + b, 43) + _rotated(c, 30) + d, a + _rotated(b + _K2, 18) + c, factor)


def _up_to_64(data: bytes, size: int) -> int:
    factor = _K2 + size * 2
    a = _word(data, 0) * _K2
    b = _word(data, 8)
    c = _word(data, size - 8) * factor
    d = _word(data, size - 16) * _K2
    y = _rotated(a + b, 43) + _rotated(c, 30) + d
    z = _of_two(y, a + _rotated(b + _K2, 18) + c, factor)
    e = _word(data, 16) * factor
    f = _word(data, 24)
    g = (y + _word(data, size - 32)) * factor
    h = (z + _word(data, size - 24)) * factor
    return _of_two(_rotated(e + f, 43) + _rotated(g, 30) + h, e + _rotated(f + a, 18) + g, factor)


def _of_32(data: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    """Two numbers mixed with 32 bytes."""
    w, x, y, z = struct.unpack_from("<4Q", data, at)
    a += w
    b = _rotated(b + a + z, 21)
    c = a
    a += x + y
    b += _rotated(a, 44)
    return (a + z) & _MASK, (b + c) & _MASK


def _longer(data: bytes, size: int) -> int:
    """Blocks of 64 bytes; the last 64 are mixed in once more at the end, in a different way."""
    y = _SEED * _K1 + 113
    z = _mixed(y * _K2 + 113) * _K2
    v, w = (0, 0), (0, 0)
    x = _SEED * _K2 + _word(data, 0)
    for at in range(0, (size - 1) // 64 * 64, 64):
        x = _rotated(x + y + v[0] + _word(data, at + 8), 37) * _K1
        y = _rotated(y + v[1] + _word(data, at + 48), 42) * _K1
        x ^= w[1]
        y += v[0] + _word(data, at + 40)
        z = _rotated(z + w[0], 33) * _K1
        v = _of_32(data, at, v[1] * _K1, x + w[0])
        w = _of_32(data, at + 32, z + w[1], y + _word(data, at + 16))
        z, x = x & _MASK, z & _MASK
    factor = _K1 + ((z & 0xFF) << 1)
    at = size - 64
    w = w[0] + ((size - 1) & 63), w[1]
    v = v[0] + w[0], v[1]
    w = w[0] + v[0], w[1]
    x = _rotated(x + y + v[0] + _word(data, at + 8), 37) * factor
    y = _rotated(y + v[1] + _word(data, at + 48), 42) * factor
    x ^= w[1] * 9
    y += v[0] * 9 + _word(data, at + 40)
    z = _rotated(z + w[0], 33) * factor
    v = _of_32(data, at, v[1] * factor, x + w[0])
    w = _of_32(data, at + 32, z + w[1], y + _word(data, at + 16))
    z, x = x, z
    left = _of_two(v[0], w[0], factor) + _mixed(y) * _K0 + z
    right = _of_two(v[1], w[1], factor) + x
    return _of_two(left & _MASK, right & _MASK, factor)
