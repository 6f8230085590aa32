"""The command `tfpy demo`: three small training programs, each in a file that serves as an example of the API."""

from __future__ import annotations

import tfpy as tf
from tfpy.demo.addition import learn_to_add
from tfpy.demo.line import fit_a_line
from tfpy.demo.speakers import recognize_speakers

_NEXT = """
What to try next
  tfpy doctor                        which GPU there is, and whether it works
  tf.set_backend("webgl")            the same programs on it
  model.save("folder")               a model that TF.js loads in a browser
  tfpy migrate script.py             old deeplearn.js code, in the new API
  tfpy js2py script.js               a script for TF.js, in Python
"""


def run(quick: bool = False) -> None:
    """Train the three models, one after the other, and print the results.

    Args:
        quick: whether to train only for a few epochs, as a test.
    """
    tf.set_seed(1)
    print("1. A recurrent network learns to add\n")
    learn_to_add(epochs=3 if quick else 40)
    print("\n2. A GRU recognizes nine speakers by two vowels\n")
    recognize_speakers(epochs=3 if quick else 25)
    print("\n3. One linear regression in both generations of the API\n")
    fit_a_line(steps=20 if quick else 400)
    print(_NEXT)
