"""Reads the text form of protocol buffers, without a schema: a message is a dict of lists."""

import re

_TOKEN = re.compile(
    r"""\s+|\#[^\n]*|(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
    r"""|(?P<any>\[[A-Za-z0-9_./]+\])|(?P<word>[-+A-Za-z0-9_.]+)|(?P<sign>[{}<>:,;\[\]])"""
)
_ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.S)
_SIGNS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


class Word(str):
    """A number or a name, which is not in quotes."""


def _unescape(match):
    code = match.group(1)
    if code[:1] == b"x":
        return bytes([int(code[1:], 16)])
    if code[:1] in (b"u", b"U"):
        return chr(int(code[1:], 16)).encode()
    if code[:1].isdigit():
        return bytes([int(code, 8) & 255])
    return _SIGNS.get(code, code)


def _tokens(text):
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"unexpected sign at {text[at:at + 30]!r}")
        at = match.end()
        if match.lastgroup is not None:
            yield match.lastgroup, match.group(match.lastgroup)
    yield "end", ""


class _Reader:
    def __init__(self, text):
        self._tokens = list(_tokens(text))
        self._at = 0

    def _peek(self):
        return self._tokens[self._at]

    def _next(self):
        token = self._tokens[self._at]
        self._at += 1
        return token

    def message(self, end):
        fields = {}
        while self._peek() != end:
            kind, name = self._next()
            if kind == "any":
                name = name.strip("[]").rpartition("/")[2]
            elif kind != "word":
                raise ValueError(f"expected the name of a field, got {name!r}")
            if self._peek() == ("sign", ":"):
                self._next()
            values = fields.setdefault(name, [])
            if self._peek() == ("sign", "["):
                self._next()
                while self._peek() != ("sign", "]"):
                    values.append(self._value())
                    if self._peek() == ("sign", ","):
                        self._next()
                self._next()
            else:
                values.append(self._value())
            if self._peek() in (("sign", ","), ("sign", ";")):
                self._next()
        self._next()
        return fields

    def _value(self):
        kind, text = self._next()
        if (kind, text) == ("sign", "{"):
            return self.message(("sign", "}"))
        if (kind, text) == ("sign", "<"):
            return self.message(("sign", ">"))
        if kind == "word":
            return Word(text)
        if kind != "string":
            raise ValueError(f"expected a value, got {text!r}")
        data = b""
        while True:
            data += _ESCAPE.sub(_unescape, text[1:-1].encode())
            if self._peek()[0] != "string":
                return data
            text = self._next()[1]


def parse(text):
    """Returns the message; strings are bytes, numbers and names are Words."""
    return _Reader(text).message(("end", ""))
