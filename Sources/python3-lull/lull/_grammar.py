"""Lines of docs/PROTOCOL.md: bytes to a message and back."""

import re
from typing import NamedTuple

LONGEST = 4096  # bytes of a line with its LF
_MOST_FIELDS = 32

# What a field may be: a flag, a number, seconds, a list, a text; None and False are not written.
Value = bool | int | float | str | tuple[str, ...] | None

_VERB = re.compile(r" *([a-z][a-z0-9-]{0,31})(?= |\Z)")
_KEY = r"([A-Za-z][A-Za-z0-9-]{0,31})"
_QUOTED = r'"((?:[^"\\\x00-\x1f\x7f]|\\["\\nrt]|\\u00[0-9A-Fa-f]{2})*)"'
_FIELD = re.compile(rf' +{_KEY}(?:=(?:{_QUOTED}|([^ "=\\\x00-\x1f\x7f]+)))?(?= |\Z)')
_ESCAPE = re.compile(r'\\(["\\nrt]|u00(..))')
_NAMED = {"n": "\n", "r": "\r", "t": "\t"}


class Malformed(ValueError):
    """A line breaks a rule of the protocol."""


class Line(NamedTuple):
    """A line that was read."""

    verb: str
    notice: str  # the name of an `event`
    fields: dict[str, str]  # a flag is "true"


def _unescaped(match: re.Match[str]) -> str:
    return chr(int(match[2], 16)) if match[2] else _NAMED.get(match[1], match[1])


def parse(data: bytes) -> Line:
    """Reads a line without its LF; raises Malformed."""
    try:
        text = data.removesuffix(b"\r").decode()
    except UnicodeDecodeError as error:
        raise Malformed("not UTF-8") from error
    verb, at = _word(text, 0)
    notice, at = _word(text, at) if verb == "event" else ("", at)
    end = len(text.rstrip(" "))
    fields: dict[str, str] = {}
    while at < end:
        match = _FIELD.match(text, at)
        if not match or match[1] in fields or len(fields) == _MOST_FIELDS:
            raise Malformed(text)
        quoted, bare = match[2], match[3]
        fields[match[1]] = _ESCAPE.sub(_unescaped, quoted) if quoted is not None else bare or "true"
        at = match.end()
    return Line(verb, notice, fields)


def _word(text: str, at: int) -> tuple[str, int]:
    match = _VERB.match(text, at)
    if not match:
        raise Malformed(text)
    return match[1], match.end()


def seconds(value: float) -> str:
    """A duration or a date, to the microsecond; below zero is 0, and behind the year 2262 that year."""
    micro = int(min(max(value, 0.0), 9223372036.0) * 1e6 + 0.5)
    whole, rest = divmod(micro, 1000000)
    return f"{whole}.{rest:06}".rstrip("0").rstrip(".")


def _quoted(text: str) -> str:
    if text and not re.search(r'[\x00-\x20\x7f"=\\]', text):
        return text
    escaped = re.sub(r'(["\\])', r"\\\1", text)
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda match: f"\\u00{ord(match[0]):02X}", escaped) + '"'


def write(verb: str, fields: dict[str, Value]) -> bytes:
    """A request with its LF; raises ValueError for one that is too long."""
    words = [verb]
    for key, value in fields.items():
        if value is None or value is False:
            continue
        if value is True:
            words.append(key)
        elif isinstance(value, float):
            words.append(f"{key}={seconds(value)}")
        else:
            words.append(f"{key}={_quoted(','.join(value) if isinstance(value, tuple) else str(value))}")
    line = " ".join(words).encode() + b"\n"
    if len(line) > LONGEST:
        raise ValueError(f"a request has at most {LONGEST} bytes")
    return line
