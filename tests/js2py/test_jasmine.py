"""Conversion of jasmine tests to pytest tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tfpy.js2py import convert

SCRIPT = """
describe('A layer: dense', () => {
  const size = 3;
  let layer;
  // Each test has its own.
  beforeEach(async () => {
    layer = tf.layers.dense({units: size});
  });
  afterEach(() => tf.disposeVariables());
  it('outputShape', () => {
    expect(layer.apply(tf.ones([2, 4])).shape).toEqual([2, 3]);
    expect(layer.computeOutputShape([2, 4])).toEqual([2, 3]);
    expect(layer.computeOutputShape([2, 4]).concat([1])).toEqual([2, 3, 1]);
    const shapes = tf.layers.gru({units: 2, returnState: true}).computeOutputShape([1, 2, 3]);
    expect(shapes).toEqual([[1, 2], [1, 2]]);
    expect(layer.units).toBe(size);
    expect(layer.bias).not.toBeNull();
  });
  it('refuses: 0', () => {
    expect(() => layer.apply(1)).toThrowError(/LAYER/i);
    expect(() => {
      const x = tf.ones([2]);
      layer.apply(x);
    }).toThrow();
    expect(() => layer.getConfig()).not.toThrow();
  });
  describe('inner', () => {
    const size = 4;
    xit('is not run', () => {
      expect(size).toBeLessThan(4);
    });
  });
});
it('values', () => {
  const x = tf.tensor1d([1.5]).dataSync();
  expect(x[0]).toBeCloseTo(1.501);
  expect(x).toEqual(new Float32Array([1.5]));
  expect(x).not.toEqual(new Float32Array([NaN]));
  expect(x[0]).not.toEqual(NaN);
  expect(isNaN(x[0])).toEqual(false);
  expect('tfpy').toMatch(/^tf/);
  expect(typeof x[0]).toEqual('number');
  expect(x.length);
  expect(x[0]).not.toBe(2, `is ${x[0]}`);
  expect(x).withContext('x').not.toBeNull();
  expect(x[0]).toBeCloseTo(1, 0, 'near');
  tf.test_util.expectArraysClose(x, [1.5]);
});
"""
CONVERTED = """
import math
import re

import numpy as np
import pytest
import tfpy as tf

size = 3
layer = None
size_2 = 4


class TestALayerDense:
    # Each test has its own.
    @pytest.fixture(autouse=True)
    def before_each(self):
        global layer
        layer = tf.layers.dense(units=size)

    @pytest.fixture(autouse=True)
    def after_each(self):
        yield
        tf.dispose_variables()

    def test_output_shape(self):
        assert layer.apply(tf.ones([2, 4])).shape == (2, 3)
        assert layer.compute_output_shape([2, 4]) == (2, 3)
        assert list(layer.compute_output_shape([2, 4])) + [1] == [2, 3, 1]
        shapes = tf.layers.gru(units=2, return_state=True).compute_output_shape(
            [1, 2, 3]
        )
        assert shapes == [(1, 2), (1, 2)]
        assert layer.units == size
        assert layer.bias is not None

    def test_refuses_0(self):
        with pytest.raises(Exception, match=r"(?ia)LAYER"):
            layer.apply(1)
        with pytest.raises(Exception):
            x = tf.ones([2])
            layer.apply(x)
        layer.get_config()

    class TestInner:
        @pytest.mark.skip
        def test_is_not_run(self):
            assert size_2 < 4


def test_values():
    x = tf.tensor1d([1.5]).data_sync()
    assert x.item(0) == pytest.approx(1.501, abs=5e-3)
    assert np.array_equal(x, np.array([1.5], dtype=np.float32))
    assert not np.array_equal(x, np.array([math.nan], dtype=np.float32), equal_nan=True)
    assert not math.isnan(x.item(0))
    assert not math.isnan(x.item(0))
    assert re.search(r"^tf", "tfpy")
    assert isinstance(x.item(0), (int, float))
    len(x)
    assert x.item(0) != 2, f"is {x.item(0)}"
    assert x is not None, "x"
    assert x.item(0) == pytest.approx(1, abs=5e-1), "near"
    tf.test_util.expect_arrays_close(x, [1.5])
"""
REPEATED = """
describe('Ones: all', () => {
  const sizes = [1, 2];
  for (const size of sizes) {
    for (const shape of [[size], [size, 1]]) {
      it(`of ${size}`, async () => {
        const x = await tf.ones(shape).data();
        expect(x.length).toBe(size);
        expect().nothing();
      });
    }
  }
  sizes.forEach(n => {
    it(`of ${n}`, () => { expect(tf.ones([n]).size).toEqual(n); });
  });
  it(`has ${sizes}`, () => { expect(sizes.length).toBe(2); });
});
"""
REPEATED_CONVERTED = """
import tfpy as tf

sizes = [1, 2]


class TestOnesAll:
    def test_ones_all(self):
        for size in sizes:
            for shape in [[size], [size, 1]]:
                x = tf.ones(shape).data_sync()
                assert len(x) == size

    def test_ones_all_2(self):
        for n in sizes:
            assert tf.ones([n]).size == n

    def test_has_sizes(self):
        assert len(sizes) == 2
"""
ALIKE = """
class TestA {}
describe('A', () => {
  describe('b', () => { it('c', () => f(TestA)); it('c', () => f(1)); });
  describe('b', () => { it('c', () => f(2)); });
});
describe('a', () => { it('c', () => f(3)); });
it('d', () => f(4));
it('d', () => f(5));
"""
ALIKE_CONVERTED = """
class TestA:
    pass


class TestA_2:
    class TestB:
        def test_c(self):
            f(TestA)

        def test_c_2(self):
            f(1)

    class TestB_2:
        def test_c(self):
            f(2)


class TestA_3:
    def test_c(self):
        f(3)


def test_d():
    f(4)


def test_d_2():
    f(5)
"""
# Scripts with constructs without counterpart, and the text of the remark.
LEFT = {
    "it('a', () => { expect(spy).toHaveBeenCalled(); });": "`toHaveBeenCalled` has no counterpart",
    "it('a', () => { expect(x).toBe(); });": "`toBe` has no counterpart",
    "it('a', () => { expect().toBe(1); });": "`expect` of nothing",
    "it('a', done => done());": "calls `done`",
    "for (const x of [1, 2]) it('a', () => f(x));": "see pytest.mark.parametrize",
    "describe('g', () => { for (const x of [1]) { xit('a', () => f(x)); } });": "see pytest.mark.parametrize",
    "if (x) describe('a', () => { it('b', () => f()); });": "`describe` within something else",
}


def test_converted_tests() -> None:
    assert convert(SCRIPT).code == CONVERTED.lstrip("\n")


def test_groups_and_tests_of_the_same_name_are_kept_apart() -> None:
    assert convert(ALIKE).code == ALIKE_CONVERTED.lstrip("\n")


def test_shapes_of_a_layer_of_the_script_are_tuples() -> None:
    script = (
        "class L extends tf.layers.Layer {} it('a', () => { expect(new L().computeOutputShape([2])).toEqual([2]); });"
    )
    assert "assert L().compute_output_shape([2]) == (2,)" in convert(script).code


def test_a_declared_shape_may_be_a_list() -> None:
    script = "const s: Shape = [2]; it('a', () => { expect(s).toEqual([2]); expect(t.shape).toEqual([2]); });"
    code = convert(script, typescript=True).code
    assert "assert s == [2]" in code
    assert "assert t.shape == (2,)" in code


def test_tests_in_a_loop_are_one_test() -> None:
    assert convert(REPEATED).code == REPEATED_CONVERTED.lstrip("\n")


@pytest.mark.parametrize("script", list(LEFT))
def test_construct_without_counterpart_is_marked(script: str) -> None:
    (note,) = [note for note in convert(script).notes if note.left]
    assert LEFT[script] in note.text


def test_describe_blocks_do_not_share_variables() -> None:
    code = convert("""
describe('a', () => { const x = 1; it('t', () => expect(x).toBe(1)); it('t', () => expect(x).toBe(1)); });
describe('b', () => { const x = 2; it('t', () => expect(x).toBe(2)); });
""").code
    space: dict[str, type] = {}
    exec(code, space)
    for group, name in (("TestA", "test_t"), ("TestA", "test_t_2"), ("TestB", "test_t")):
        getattr(space[group](), name)()


def test_tests_in_loops_share_outer_variables_and_have_their_own() -> None:
    """A callback assigns to a variable of its test, and a test in a loop to one of `describe`."""
    code = convert("""
describe('g', () => {
  let made = 0;
  for (const n of [1, 2]) {
    it('assigns', () => {
      let saved = 0;
      const store = x => { saved = x; };
      store(n);
      made = made + n;
      expect(saved).toBe(n);
    });
  }
  if (made === 0) {
    it('reads', () => { const total = made; expect(total).toBe(3); });
  }
});
""").code
    space: dict[str, type] = {}
    exec(code, space)
    space["TestG"]().test_g()
    assert space["made"] == 3
    assert "total" not in space


def test_own_function_named_expect_is_not_converted() -> None:
    found = convert("const expect = x => ({toBe: y => x + y}); expect(1).toBe(2);")
    assert "assert" not in found.code


@pytest.mark.slow
def test_converted_tests_run_in_pytest(tmp_path: Path) -> None:
    failing = "it('fails', () => { expect(1).toBe(2); });"
    (tmp_path / "layer_test.py").write_text(convert(SCRIPT + failing).code, encoding="utf-8")
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path)]
    found = subprocess.run(run, capture_output=True, text=True, check=False)
    assert "1 failed, 3 passed, 1 skipped" in found.stdout
