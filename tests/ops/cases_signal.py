"""Op cases of signal processing and Fourier transforms."""

from __future__ import annotations

import numpy as np
from ops.table import Case, case, complexes, floats, ints, raises

Array = np.ndarray


def _window(n: int, a: float, b: float) -> Array:
    return a - b * np.cos(2 * np.pi * np.arange(n) / (n - n % 2))


def _frames(x: Array, length: int, step: int, pad: bool = False, value: float = 0) -> Array:
    last = len(x) if pad else len(x) - length + 1
    rows = [
        np.concatenate([x[i : i + length], np.full(max(0, i + length - len(x)), value)])
        for i in range(0, max(last, 0), step)
    ]
    return np.array(rows).reshape(-1, length)


def _spectra(x: Array, length: int, step: int, n: int = 0) -> Array:
    return np.fft.rfft(_frames(x, length, step) * _window(length, 0.5, 0.5), n or 1 << (length - 1).bit_length())


SIGNAL: dict[str, list[Case]] = {
    "cosine_window": [case(5, 1, 0.5, reference=_window, order=0), case(6, 1, 0.5, reference=_window, order=0), raises(ValueError, -1, 1, 1)],
    "signal.hann_window": [case(8, reference=lambda n: _window(n, 0.5, 0.5), order=0), case(0, reference=lambda n: np.zeros(0), order=0)],
    "signal.hamming_window": [case(7, reference=lambda n: _window(n, 0.54, 0.46), order=0)],
    "signal.frame": [
        case(floats(9), 4, 2, reference=_frames),
        case(floats(9), 4, 3, True, 7, reference=_frames),
        case(floats(3), 4, 1, reference=_frames, order=0),
        case(floats(3), 5, 2, True, reference=_frames),
        raises(ValueError, floats(2, 2), 1, 1),
        raises(ValueError, floats(4), 0, 1),
        raises(ValueError, floats(4), 2, 0),
    ],
    "signal.stft": [
        case(floats(12), 5, 3, reference=_spectra),
        case(floats(12), 4, 2, 6, reference=_spectra),
        case(ints(12), 4, 2, reference=_spectra, order=0),
        raises(TypeError, complexes(12), 4, 2),
    ],
    "spectral.fft": [
        case(complexes(4), reference=np.fft.fft),
        case(complexes(2, 3), reference=np.fft.fft),
        case(complexes(2, 1, 7), reference=np.fft.fft),
        raises(TypeError, floats(4)),
        raises(ValueError, complexes()),
        raises(ValueError, complexes(2, 0)),
    ],
    "spectral.ifft": [case(complexes(6), reference=np.fft.ifft), case(complexes(2, 5), reference=np.fft.ifft), raises(TypeError, floats(4))],
    "spectral.rfft": [
        case(floats(5), reference=np.fft.rfft),
        case(floats(2, 4), reference=np.fft.rfft),
        case(floats(2, 4), 3, reference=np.fft.rfft),
        case(floats(2, 4), 7, reference=np.fft.rfft),
        raises(TypeError, ints(4)),
        raises(ValueError, floats(4), 0),
    ],
    "spectral.irfft": [
        case(complexes(2, 4), reference=lambda x: np.fft.ifft(np.concatenate([x, x[:, 2:0:-1].conj()], 1)).real),
        case(complexes(3), reference=lambda x: np.fft.ifft([*x, x[1].conj()]).real[None]),
        case(complexes(2, 2), reference=lambda x: np.fft.ifft(x).real),
        case(complexes(2, 3, 1), reference=lambda x: x.real),
        raises(ValueError, complexes()),
    ],
}  # fmt: skip
