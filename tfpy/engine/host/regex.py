"""JavaScript's regular expressions and replacement strings, with Python's `re`.

Where the syntax of the two languages differs, the pattern is translated. What Python's engine lacks is an error:
lookbehind of varying length, and `\\u{…}` and `\\p{…}`; so is what JavaScript lacks. A dot and a
negated class match a whole character beyond U+FFFF, of which JavaScript sees two halves.
"""

from __future__ import annotations

import re

_SPACE = r"\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_LINE_END = r"\n\r\u2028\u2029"
_NO_SPACE = (
    r"\x00-\x08\x0e-\x1f!-\x9f\u00a1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff"
    r"\u3001-\ufefe\uff00-\U0010ffff"
)
_IN_CLASS = re.compile(r"(?P<set>\\[dDsSwW])-?|\\.|-(?=\\[dDsSwW])|[\[&~|]", re.DOTALL)
_FOREIGN = r"\(\?[^:=!<]|(?:[*+?]|\{\d+(?:,\d*)?\})\+"
_TOKEN = re.compile(
    r"\\k<(?P<back>\w+)>|\(\?<(?P<named>\w+)>|(?P<class>\[\^?\]|\[(?:\\.|[^\]\\])*\])|\\.|\.|\$|\{(?=,)"
    rf"|(?P<foreign>{_FOREIGN})",
    re.DOTALL,
)
_WITH_MEANING = "dDwWsSbBnrtvfcxukpP"  # letters with a special meaning after a backslash; any other stands for itself
_EXPANSION = re.compile(r"\$(?:(?P<sign>[$&`'])|(?P<number>\d{1,2})|<(?P<name>[^>]*)>)")


def translated(pattern: str) -> re.Pattern[str]:
    """The Python pattern that matches what the JavaScript pattern matches.

    Raises:
        ValueError: not a regular expression, or one that Python's engine does not support.
    """
    try:
        return re.compile(_TOKEN.sub(_token, pattern), re.ASCII)
    except (re.error, OverflowError) as error:
        raise ValueError(f"{error}") from None


def _token(match: re.Match[str]) -> str:
    text = match[0]
    if match["back"] is not None:
        return f"(?P={match['back']})"
    if match["named"] is not None:
        return f"(?P<{match['named']}>"
    if match["class"] is not None:
        return _class(text)
    if match["foreign"] is not None:
        raise ValueError(f"{text!r} does not exist in JavaScript")
    plain = {"\\s": f"[{_SPACE}]", "\\S": f"[^{_SPACE}]", ".": f"[^{_LINE_END}]", "$": r"\Z", r"\/": "/", "{": r"\{"}
    return plain.get(text) or _escape(text)


def _escape(text: str) -> str:
    """A backslash and what follows it."""
    itself = text[0] == "\\" and text[1].isascii() and text[1].isalpha() and text[1] not in _WITH_MEANING
    return text[1] if itself else text


def _class(text: str) -> str:
    """A class of characters: JavaScript's `[]` matches nothing and `[^]` everything, and brackets may occur in it."""
    if text in ("[]", "[^]"):
        return "(?!)" if text == "[]" else r"[\s\S]"
    head = "[^" if text.startswith("[^") else "["
    return head + _IN_CLASS.sub(_in_class, text[len(head) : -1]) + "]"


def _in_class(match: re.Match[str]) -> str:
    """The text of a character class: next to a set of characters a hyphen is literal, and makes no range."""
    if match["set"] is not None:
        sets = {"\\s": _SPACE, "\\S": _NO_SPACE}
        return sets.get(match["set"], match["set"]) + (r"\-" if match[0][-1] == "-" else "")
    return _escape(match[0]) if match[0][0] == "\\" else "\\" + match[0]


def replaced(text: str, pattern: re.Pattern[str], rewrite: str, everywhere: bool) -> str:
    """The text with matches replaced by a JavaScript replacement text ($1, $&, $$, …)."""

    def expand(match: re.Match[str]) -> str:
        return _EXPANSION.sub(lambda part: _expanded(part, match), rewrite)

    # After an empty match JavaScript continues with the next character; Python would first try a longer one there.
    parts, end, at = [], 0, 0
    while at <= len(text) and (match := pattern.search(text, at)):
        parts += [text[end : match.start()], expand(match)]
        end = match.end()
        at = end if match[0] else end + 1
        if not everywhere:
            break
    return "".join([*parts, text[end:]])


def _expanded(part: re.Match[str], match: re.Match[str]) -> str:
    """The expansion of one `$…` of a replacement; unchanged if there is no such group."""
    if part["sign"]:
        before, after = match.string[: match.start()], match.string[match.end() :]
        return {"$": "$", "&": match[0], "`": before, "'": after}[part["sign"]]
    if part["name"] is not None:
        names = match.re.groupindex
        return (match[part["name"]] or "" if part["name"] in names else "") if names else part[0]
    digits = part["number"]
    for length in range(len(digits), 0, -1):
        number = int(digits[:length])
        if 1 <= number <= match.re.groups:
            return (match[number] or "") + digits[length:]
    return part[0]
