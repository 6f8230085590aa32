"""JavaScript's regular expressions and replacement texts, by Python's `re`.

Where the two languages write the same thing differently the pattern is translated. What Python's engine lacks stays
an error: lookbehind of varying length, and `\\u{…}` and `\\p{…}`. A dot and a negated class match a whole character
beyond U+FFFF, of which JavaScript sees two halves.
"""

from __future__ import annotations

import re

_SPACE = r"\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_LINE_END = r"\n\r\u2028\u2029"
_IN_CLASS = re.compile(r"\\s|\\.|\[|[&~|]", re.DOTALL)
_TOKEN = re.compile(
    r"\\k<(?P<back>\w+)>|\(\?<(?P<named>\w+)>|(?P<class>\[\^?\]|\[(?:\\.|[^\]\\])*\])|\\.|\.|\$|\{(?=,)", re.DOTALL
)
_EXPANSION = re.compile(r"\$(?:(?P<sign>[$&`'])|(?P<number>\d{1,2})|<(?P<name>[^>]*)>)")


def translated(pattern: str) -> re.Pattern[str]:
    """The Python pattern that matches what the JavaScript pattern matches.

    Raises:
        ValueError: no regular expression, or one that Python's engine does not take.
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
    plain = {"\\s": f"[{_SPACE}]", "\\S": f"[^{_SPACE}]", ".": f"[^{_LINE_END}]", "$": r"\Z", r"\/": "/", "{": r"\{"}
    return plain.get(text, text)


def _class(text: str) -> str:
    """A class of characters: JavaScript's `[]` matches nothing and `[^]` everything, and brackets may stand in it."""
    if text in ("[]", "[^]"):
        return "(?!)" if text == "[]" else r"[\s\S]"
    head = "[^" if text.startswith("[^") else "["
    inner = _IN_CLASS.sub(
        lambda m: _SPACE if m[0] == "\\s" else m[0] if m[0][0] == "\\" else "\\" + m[0], text[len(head) : -1]
    )
    return head + inner + "]"


def replaced(text: str, pattern: re.Pattern[str], rewrite: str, everywhere: bool) -> str:
    """The text with matches replaced by a JavaScript replacement text ($1, $&, $$, …)."""

    def expand(match: re.Match[str]) -> str:
        return _EXPANSION.sub(lambda part: _expanded(part, match), rewrite)

    return pattern.sub(expand, text, count=0 if everywhere else 1)


def _expanded(part: re.Match[str], match: re.Match[str]) -> str:
    """What one `$…` of a replacement text stands for; itself when there is no such group."""
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
