"""Bytes into chunks, one frame each, framing included: the chunks joined are the input.

What it knows: JSON lines, SSE blocks, JSON arrays and objects printed over many lines, documents
glued together on one line, `//` comments, headings, a byte order mark, CR LF, a truncated end. It
parses nothing. Memory is bounded by `limit`; what is longer is cut, and the pieces are unreadable.
"""

from __future__ import annotations

import re

from turnscope.core.framing.scan import BROKEN, CLOSED, OPENED, SEPARATOR, Scan

MAX_FRAME = 16 * 1024 * 1024
"""Bytes of one frame, framing included; a longer one is cut at this length."""

BOM = b"\xef\xbb\xbf"

_LINE, _BLOCK, _OBJECT, _ARRAY, _AFTER, _CUT = range(6)
_ARRAY_START = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r]*+\[[ \t\r]*+(?=[{\[\]\n])")
_PEEK = 1024
"""How far into a line an array must show what it is."""
_GLUE = re.compile(rb"\}[ \t]*+\{")
_UNEVEN = re.compile(rb"\n(?:(?<!\}\n)|(?!\{|\Z))")
"""A line's end that does not stand between two objects."""
_FIELDS = re.compile(rb"(?:\xef\xbb\xbf)?(?::|(?:data|event|id|retry)[:\r\n])")
_COMMENT = (b"//", b"[DONE]")
_SPACE = re.compile(rb"[ \t\r]*+")
_CONTINUES = frozenset(b'"{}[],:-0123456789tfnNI')
"""How a line inside a JSON document may begin."""
_LOOSE = 16
"""Lines of a heading before an SSE block; more of them are no heading."""
_PAIR = b'MessageChunk"'
"""LangGraph's messages mode writes one array [chunk, metadata] per line: one frame, not two."""


def split(data: bytes, limit: int = MAX_FRAME) -> list[bytes]:
    """All of `data` in chunks. `b"".join(split(data)) == data`, whatever the bytes are."""
    splitter = Splitter(limit)
    chunks = splitter.feed(data)
    chunks.extend(splitter.flush())
    return chunks


class Splitter:
    """`split` for bytes that arrive in pieces: the same chunks wherever the pieces were cut."""

    def __init__(self, limit: int = MAX_FRAME) -> None:
        self._limit = limit
        self._peek = min(_PEEK, limit)
        self._mode = _LINE
        self._rest: list[bytes] = []
        """The line whose end has not come yet."""
        self._rest_size = 0
        self._held: list[bytes] = []
        """The chunk whose end has not come yet: whole lines, or an array's element so far."""
        self._size = 0
        self._loose: list[bytes] = []
        """Lines of text that belong to the SSE block that may follow."""
        self._scan = Scan()
        self._filled = False
        """Array: a value has closed since the last comma. Block: its data is a whole document."""
        self._unread: list[bytes] = []
        """Data lines of the block that the scan has not seen."""
        self._pair: bool | None = None

    def feed(self, data: bytes) -> list[bytes]:
        out: list[bytes] = []
        if self._rest:
            self._rest.append(data)
            self._rest_size += len(data)
            if b"\n" not in data and _PEEK < self._rest_size - len(data) and self._rest_size <= self._limit:
                return out
            data = b"".join(self._rest)
            self._rest = []
        self._consume(data, out, last=False)
        return out

    def flush(self) -> list[bytes]:
        """The end of the stream: whatever is held, and the splitter is as new."""
        out: list[bytes] = []
        rest, self._rest = b"".join(self._rest), []
        self._consume(rest, out, last=True)
        self._let_go(out)
        self._emit(out)
        self._mode = _LINE
        return out

    def _consume(self, data: bytes, out: list[bytes], *, last: bool) -> None:
        at = 0
        while at < len(data):
            if self._mode == _ARRAY:
                at = self._array(data, at, out)
            elif self._mode == _AFTER:
                at = self._after(data, at, out)
            elif self._mode == _LINE and (end := self._plain(data, at, out)):
                at = end
            else:
                at = self._lines(data, at, out, last=last)

    # ------------------------------------------------------------ lines

    def _plain(self, data: bytes, at: int, out: list[bytes]) -> int:
        """JSON lines that all look whole, at the speed of splitlines; 0 if they do not."""
        if self._loose or data[at] != 0x7B:
            return 0
        end = data.rfind(b"\n", at) + 1
        body = data[at:end] if at or end != len(data) else data
        if not end or b"\r" in body or _UNEVEN.search(body) or _GLUE.search(body):
            return 0
        lines = body.splitlines(keepends=True)
        if len(body) > self._limit and max(map(len, lines)) > self._limit:
            return 0
        out.extend(lines)
        return end

    def _lines(self, data: bytes, at: int, out: list[bytes], *, last: bool) -> int:
        """Line by line until the data ends or something that is not made of lines begins."""
        find = data.find
        while at < len(data):
            end = find(b"\n", at) + 1
            if not end:
                if not last:
                    return self._incomplete(data, at, out)
                end = len(data)
            line = data[at:end]
            if self._mode == _CUT or (len(line) > self._limit and not self._array_starts(line)):
                self._pieces(line, out, ended=True)
                at = end
                continue
            if self._mode == _LINE and not self._loose:
                if line[0] == 0x7B and line.endswith((b"}\n", b"}\r\n")) and not _GLUE.search(line):
                    out.append(line)
                    at = end
                    continue
                if line.startswith(b"data:") and data.startswith(b"\n", end) and len(line) < self._limit:
                    if not _GLUE.search(line):
                        out.append(data[at : end + 1])
                        at = end + 1
                        continue
            at += self._line(line, out)
            if self._mode in (_ARRAY, _AFTER):
                return at
        return at

    def _incomplete(self, data: bytes, at: int, out: list[bytes]) -> int:
        rest = data[at:]
        if start := self._array_starts(rest):
            return at + self._open_array(rest[:start], out)
        if self._mode == _CUT or len(rest) > self._limit:
            self._pieces(rest, out, ended=False)
        else:
            self._rest = [rest]
            self._rest_size = len(rest)
        return len(data)

    def _array_starts(self, line: bytes) -> int:
        """Where its first element begins; 0 if the line begins no array."""
        if self._mode != _LINE or (start := _ARRAY_START.match(line, 0, self._peek)) is None:
            return 0
        return start.end()

    def _pieces(self, line: bytes, out: list[bytes], *, ended: bool) -> None:
        """An oversize line in pieces of the limit; what follows the last cut waits for the line's end."""
        if self._mode != _CUT:
            self._let_go(out)
            self._emit(out)
            self._mode = _CUT
        self._hold(line, out)
        if ended:
            self._emit(out)
            self._mode = _LINE

    def _line(self, line: bytes, out: list[bytes]) -> int:
        """One whole line. Returns how many of its bytes were taken; the rest begins a line of its own."""
        if self._size + len(line) > self._limit and self._held:
            self._emit(out)
            self._mode = _LINE
        if self._mode == _OBJECT:
            return self._object(line, out)
        if self._mode == _BLOCK:
            return self._block(line, out)
        bare = line.removeprefix(BOM).strip()
        if _FIELDS.match(line):
            if sum(map(len, self._loose)) + len(line) > self._limit:
                self._let_go(out)
            self._held, self._loose = [*self._loose], []
            self._size = sum(map(len, self._held))
            self._mode, self._scan, self._filled, self._unread = _BLOCK, Scan(), False, []
            return self._block(line, out)
        if not bare or (bare.startswith(_COMMENT) and not self._loose):
            if self._loose:
                self._loose.append(line)
            else:
                out.append(line)
            return len(line)
        if bare.startswith(b"{"):
            self._let_go(out)
            return self._document(line, out)
        if start := self._array_starts(line):
            return self._open_array(line[:start], out)
        self._loose.append(line)
        if len(self._loose) > _LOOSE or sum(map(len, self._loose)) > _PEEK * _LOOSE:
            self._let_go(out)
        return len(line)

    # ------------------------------------------------------------ documents on and over lines

    def _document(self, line: bytes, out: list[bytes]) -> int:
        """A line that begins an object: one document, several glued together, or the first of many lines."""
        looks_whole = line.rstrip().endswith(b"}")
        if looks_whole and not _GLUE.search(line):
            out.append(line)
            return len(line)
        scan, start, at, closed, broken = Scan(), 0, 0, False, False
        while step := scan.step(line, at):
            what, at = step
            if what == OPENED and closed and line[at - 1] == 0x7B:
                out.append(line[start : at - 1])
                start, closed = at - 1, False
            elif what == CLOSED and scan.depth == 0:
                closed = True
            elif what == BROKEN or scan.depth < 0:
                broken = True
                break
        if scan.depth > 0 and not scan.text and not looks_whole and not broken:
            self._mode, self._scan = _OBJECT, scan
            self._hold(line[start:], out)
        else:
            out.append(line[start:])
        return len(line)

    def _object(self, line: bytes, out: list[bytes]) -> int:
        """One more line of an object printed over many; or the sign that its first line was cut."""
        bare = line.strip()
        cut = len(self._held) == 1 and line[0] == 0x7B and len(bare) > 1 and bare.endswith(b"}")
        if cut or (bare and bare[0] not in _CONTINUES):
            self._emit(out)
            self._mode = _LINE
            return 0
        at = 0
        while step := self._scan.step(line, at):
            what, at = step
            if what == OPENED and self._scan.depth:
                continue
            ended = what == CLOSED and self._scan.depth == 0
            if not ended or line[at:].strip() in (b"", b","):
                at = len(line)
            self._hold(line[:at], out)
            self._emit(out)
            self._mode = _LINE
            return at
        self._hold(line, out)
        return len(line)

    # ------------------------------------------------------------ SSE blocks

    def _block(self, line: bytes, out: list[bytes]) -> int:
        """One more line of an SSE block: to its blank line, or to the next block where that is missing."""
        if not line.strip():
            self._hold(line, out)
        elif not _FIELDS.match(line) or self._whole():
            self._emit(out)
            self._mode = _LINE
            return 0
        else:
            taken = self._glued(line) if line.startswith(b"data:") else 0
            self._hold(line[: taken or len(line)], out)
            if not taken:
                if line.startswith(b"data:"):
                    self._unread.append(line[5:])
                return len(line)
            self._emit(out)
            self._mode = _LINE
            return taken
        self._emit(out)
        self._mode = _LINE
        return len(line)

    def _whole(self) -> bool:
        """Whether the block's data is one whole document: then another line begins the next block."""
        for payload in self._unread:
            at = 0
            while step := self._scan.step(payload, at):
                what, at = step
                self._filled = what == CLOSED and self._scan.depth == 0
        self._unread = []
        return self._filled

    def _glued(self, line: bytes) -> int:
        """Where the first of two documents on one data line ends; 0 if there is one."""
        if self._unread or not _GLUE.search(line):
            return 0
        scan, at, closed = Scan(), 5, 0
        while step := scan.step(line, at):
            what, at = step
            if closed and what == OPENED and line[at - 1] == 0x7B:
                return at - 1
            closed = at if what == CLOSED and scan.depth == 0 else 0
        return 0

    # ------------------------------------------------------------ arrays

    def _open_array(self, start: bytes, out: list[bytes]) -> int:
        self._let_go(out)
        self._hold(start, out)
        self._mode, self._scan, self._filled, self._pair = _ARRAY, Scan(top=1), False, None
        return len(start)

    def _array(self, data: bytes, at: int, out: list[bytes]) -> int:
        """The elements of an array, one chunk each, comma included; the first has the bracket."""
        start = at
        while step := self._scan.step(data, at):
            what, at = step
            if what == SEPARATOR:
                self._hold(data[start:at], out)
                start = at
                if self._pair is None:
                    self._pair = _PAIR in b"".join(self._held)
                if not self._pair:
                    self._emit(out)
                self._filled = False
            elif what == CLOSED and self._scan.depth == 1:
                self._filled = True
            elif what == CLOSED:
                self._hold(data[start:at], out)
                self._mode = _AFTER
                return at
            elif what == BROKEN or self._filled:
                at -= what == OPENED
                self._hold(data[start:at], out)
                self._emit(out)
                self._mode = _LINE
                return at
        self._hold(data[start:], out)
        return len(data)

    def _after(self, data: bytes, at: int, out: list[bytes]) -> int:
        """What follows an array on its line, if it is nothing, goes with the last element."""
        space = _SPACE.match(data, at)
        end = space.end() if space else at
        ended = data.startswith(b"\n", end)
        self._hold(data[at : end + ended], out)
        if end < len(data):
            self._emit(out)
            self._mode = _LINE
        return end + ended

    # ------------------------------------------------------------ the chunk being built

    def _hold(self, data: bytes, out: list[bytes]) -> None:
        while self._size + len(data) > self._limit:
            piece, data = data[: self._limit - self._size], data[self._limit - self._size :]
            self._held.append(piece)
            self._emit(out)
        if data:
            self._held.append(data)
            self._size += len(data)

    def _emit(self, out: list[bytes]) -> None:
        if self._held:
            out.append(b"".join(self._held))
            self._held = []
        self._size = 0

    def _let_go(self, out: list[bytes]) -> None:
        """Text that turned out to be no heading: a chunk per line."""
        out.extend(self._loose)
        self._loose = []
