"""Tokens that producers send with: made once, shown once, and kept as a digest."""

from __future__ import annotations

import hashlib
import secrets

from .models import Channel
from .text import shown

BYTES = 32
"""How much chance a token holds."""


def digest(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def mint(channel: Channel, label: str) -> str:
    """A new token for the channel, in letters that a subprotocol takes. It cannot be read again."""
    token = secrets.token_urlsafe(BYTES)
    channel.tokens.create(label=shown(label), digest=digest(token))
    return token
