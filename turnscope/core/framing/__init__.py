"""Framing: from the bytes of a stream to frames, and from one frame's bytes to its value.

Two steps that know nothing of dialects. `split` (or `Splitter`, fed piece by piece) cuts bytes into
chunks, one frame each, and loses none: the chunks joined are the input. `decode` reads one chunk,
and its answer depends on that chunk alone, so that a stored frame reads the same for ever.
"""

from __future__ import annotations

from turnscope.core.framing.decoding import MAX_DEPTH, Decoded, Envelope, decode, milliseconds
from turnscope.core.framing.splitter import MAX_FRAME, Splitter, split

__all__ = ["MAX_DEPTH", "MAX_FRAME", "Decoded", "Envelope", "Splitter", "decode", "milliseconds", "split"]
