"""JavaScript regular expressions translated to Python's; the expected values are recorded from TF.js in Node."""

from __future__ import annotations

import pytest

import tfpy as tf

CASES = [
    ("a.c", "x", True, "abc a\nc a\rc", "x a\nc a\rc"),
    ("(?<w>\\w+)-\\k<w>", "<$<w>>", True, "foo-foo bar-baz", "<foo> bar-baz"),
    ("(a)(b)?", "[$1|$2|$3|$10|$0]", True, "ab a", "[a|b|$3|a0|$0] [a||$3|a0|$0]"),
    ("^x$", "y", True, "x\n", "x\n"),
    ("x$", "y", True, "ax", "ay"),
    ("[^]", ".", True, "a\nb", "..."),
    ("[]", "z", True, "abc", "abc"),
    ("[[a]", "_", True, "[ab", "__b"),
    ("\\s+", "_", True, "a\xa0b \tc", "a_b_c"),
    ("\\d", "#", True, "1٣", "#٣"),
    ("(b)", "$`$'$&$$", True, "abc", "aacb$c"),
    ("x*", "-", True, "baac", "-b-a-a-c-"),
    ("x*", "-", False, "abc", "-abc"),
    ("\\/", "|", True, "a/b", "a|b"),
    ("[\\s,]+", " ", True, "a ,\u2003b", "a b"),
    ("\\bfoo\\b", "X", True, "foo éfooé", "X éXé"),
    ("(\\w)(\\w)", "$2$1", True, "abcd", "badc"),
    ("a|b", "$01", True, "ab", "$01$01"),
    ("(a)", "$01$11", True, "ab", "aa1b"),
    ("(?=b)", "-", True, "abb", "a-b-b"),
    ("(?<!a)b", "X", True, "abb", "abX"),
    ("\\u0041", "z", True, "A", "z"),
    ("[a-c&&b]", "!", True, "a&d", "!!d"),
    ("\\S", ".", True, "a b", ". ."),
    ("a{2}", "q", True, "aaa", "qa"),
    ("a{,2}", "q", True, "a{,2}", "q"),
    ("$", "E", True, "a\n", "a\nE"),
    ("(?<x>a)", "$<y>$<x>$<", True, "a", "a$<"),
    ("[.$]", "D", True, "a.$", "aDD"),
    ("\\A", "-", True, "aAb", "a-b"),
    ("a\\Z", "-", True, "aZ a", "- a"),
    ("\\a", "-", True, "aba", "-b-"),
    ("[\\a\\z]", "-", True, "azb", "--b"),
    ("\\++", "-", True, "a++b", "a-b"),
    ("[\\w-.]+@", "<$&>", True, "a-b.c@d", "<a-b.c@>d"),
    ("[a-\\d]", "#", True, "a-1b", "###b"),
    ("[\\S]", ".", True, "a\xa0b", ".\xa0."),
    ("[^\\S]", ".", True, "a\xa0b", "a.b"),
    ("a*?", "-", True, "ab", "-a-b-"),
    ("|a", "-", True, "ab", "-a-b-"),
    ("a*?", "-", False, "ab", "-ab"),
]


@pytest.mark.parametrize(("pattern", "rewrite", "replace_all", "text", "expected"), CASES)
def test_replacement_equals_javascript(pattern: str, rewrite: str, replace_all: bool, text: str, expected: str) -> None:
    found = tf.string.static_regex_replace([text], pattern, rewrite, replace_all)
    assert found.data_sync() == [expected]


@pytest.mark.parametrize("pattern", ["(", "(?<=a+)b", "a**", "(?i)a", "(?P<n>a)", "(?#a)", "(?>a)", "a++", "a{2}+"])
def test_invalid_or_unsupported_pattern_raises(pattern: str) -> None:
    with pytest.raises(ValueError, match="regular expression"):
        tf.string.static_regex_replace(["a"], pattern, "")
