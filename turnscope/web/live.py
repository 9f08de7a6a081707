"""What viewers see as it happens: `/ws/threads/<id>/?after=<seq>`, `/ws/channels/<slug>/?after=<change>`.

With `&fields=1` a thread's viewer is sent whole rows once and then what differs (`patches.py`).

A tail is a query, not a second fold. A viewer subscribes first and reads then; a hint only says that there
is something to read. All viewers of one thread in this process share a feed, and those at the same cursor
one query and one text. What comes to a feed at rest is sent at once; then it rests, the longer the more its
patches cost. A viewer acknowledges what it has painted; with two patches unacknowledged it gets no further
one, and then a single patch of everything since. Counterparts: `patches.py`, `static/js`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import parse_qs

import orjson
from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from channels.layers import get_channel_layer

from turnscope.store.models import Channel, Thread

from .access import SLUG, Send
from .flow import Receive
from .hints import group_of, hints
from .patches import ChannelBook, Patch, ThreadBook, channel_patch, thread_patch
from .sockets import content

logger = logging.getLogger("turnscope.live")

UNACKED = 2
"""Patches under way to one viewer."""
LEAST, MOST = 1 / 30, 1 / 20
"""Seconds from one patch of a feed to the next: the former, and up to the latter where patches cost more."""
SENT = 0.0003
"""Seconds of work that one more viewer of a patch costs."""
SHARE = 0.25
"""How much of a core one feed may take before its patches become fewer."""
ROWS = 64
"""Newest rows of the event list in one patch, at most: a screenful of whoever follows."""
LOOK = 2.0
"""Seconds after which a feed looks by itself: hints may be lost."""
PATIENCE = 60.0
"""Seconds that a viewer which has not paused may leave a patch unacknowledged."""

GONE, RELOAD, SLOW = 4404, 4409, 4429


class Viewer:
    """One socket that watches."""

    def __init__(self, send: Send, *, fields: bool = False) -> None:
        self.send = send
        self.fields = fields
        """It takes differences."""
        self.rows = 0
        """How many of the newest rows of the event list it shows, and so wants in a patch."""
        self.primed = False
        """It has been sent every row of its cursor, so that what differs from that is enough."""
        self.cursor = 0
        """What it has once all that is under way has arrived."""
        self.paused = True
        """A hidden tab, a socket that is only joining, or one that closes: it is sent nothing."""
        self.closing = False
        self.under_way: list[tuple[int, float]] = []
        """(cursor, when) of each patch it has not acknowledged."""
        self._saying: set[asyncio.Task[None]] = set()

    def ready(self, cursor: int) -> bool:
        """Whether it should be sent what is new up to `cursor`."""
        return not self.paused and self.cursor < cursor and len(self.under_way) < UNACKED

    def offer(self, patch: Patch) -> None:
        """Send a patch without waiting for a peer that does not read."""
        self.under_way.append((patch.cursor, time.monotonic()))
        self.cursor = patch.cursor
        self.primed = patch.complete
        self._say({"type": "websocket.send", "text": patch.text})

    def acknowledged(self, cursor: int) -> None:
        self.under_way = [(sent, at) for sent, at in self.under_way if sent > cursor]

    def close(self, code: int, reason: str) -> None:
        self.paused = self.closing = True
        self._say({"type": "websocket.close", "code": code, "reason": reason})

    def late(self) -> bool:
        return not self.paused and bool(self.under_way) and time.monotonic() - self.under_way[0][1] > PATIENCE

    def _say(self, message: dict[str, Any]) -> None:
        task = asyncio.ensure_future(self.send(message))
        self._saying.add(task)
        task.add_done_callback(self._saying.discard)


class Feed:
    """Everybody in this process who watches one thread, or one channel."""

    def __init__(self, kind: str, pk: int) -> None:
        self.group = group_of(kind, pk)
        self.viewers: set[Viewer] = set()
        self.cursor = 0
        """The newest that is known of."""
        self.rests_until = 0.0
        """On the monotonic clock, in seconds."""
        self.query: Callable[..., Patch | None] = (
            partial(thread_patch, pk, book=ThreadBook())
            if kind == "thread"
            else partial(channel_patch, pk, book=ChannelBook())
        )

    async def serve(self) -> None:
        """Send each viewer that is ready what it lacks: one query per cursor. Then rest, if any was."""
        began, sent = time.monotonic(), 0
        ready: dict[tuple[int, bool, int], list[Viewer]] = {}
        for viewer in self.viewers:
            if viewer.late():
                viewer.close(SLOW, "nothing was acknowledged for a minute")
            elif viewer.ready(self.cursor):
                like = (viewer.cursor, viewer.fields and viewer.primed, viewer.rows)
                ready.setdefault(like, []).append(viewer)
        # Whole rows last: what they note is then of the newest.
        for (cursor, fields, rows), viewers in sorted(ready.items(), key=lambda item: not item[0][1]):
            more: dict[str, Any] = {"fields": True} if fields else {}
            if rows:
                more["rows"] = rows
            # Its connection stays open from patch to patch; the hub's look closes what is too old.
            patch = await sync_to_async(self.query)(cursor, **more)
            sent += len(viewers)
            for viewer in viewers:
                if patch is None:
                    viewer.close(GONE, "it is no longer here")
                else:
                    viewer.offer(patch)
            if patch is not None:
                self.cursor = max(self.cursor, patch.cursor)
        if sent:
            work = time.monotonic() - began + SENT * sent
            self.rests_until = began + min(max(work / SHARE, LEAST), MOST)


class Hub:
    """The feeds of this process: hints in, patches out."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.feeds: dict[str, Feed] = {}
        self._due: set[Feed] = set()
        self._work = asyncio.Event()
        self._layer: Any = get_channel_layer()
        self._name = ""
        self._tasks: list[asyncio.Task[None]] = []

    async def join(self, kind: str, pk: int, viewer: Viewer) -> Feed:
        """Have the viewer fed from now on."""
        if not self._name:
            name = await self._layer.new_channel()
            if not self._name:  # nobody else has begun meanwhile
                self._name = name
                self._tasks = [asyncio.create_task(self._hear()), asyncio.create_task(self._beat())]
        name = group_of(kind, pk)
        feed = self.feeds.get(name)
        if feed is None:
            feed = self.feeds[name] = Feed(kind, pk)
            await self._layer.group_add(name, self._name)
        feed.viewers.add(viewer)
        hints.near = self.heard
        return feed

    async def leave(self, feed: Feed, viewer: Viewer) -> None:
        feed.viewers.discard(viewer)
        if not feed.viewers and self.feeds.get(feed.group) is feed:
            del self.feeds[feed.group]
            await self._layer.group_discard(feed.group, self._name)
            if feed.group in self.feeds:  # somebody has come meanwhile
                await self._layer.group_add(feed.group, self._name)
            if not self.feeds:
                await database_sync_to_async(
                    lambda: None
                )()  # nothing is asked for now: it closes the connection

    def heard(self, group: str, cursor: int) -> None:
        """A hint, from this process or by the layer; of one commit both may come."""
        feed = self.feeds.get(group)
        if feed is not None and cursor > feed.cursor:
            feed.cursor = cursor
            self.due(feed)

    def due(self, feed: Feed) -> None:
        """Look at a feed as soon as it has rested: something is new, or a viewer can take more."""
        self._due.add(feed)
        self._work.set()

    async def _hear(self) -> None:
        listening = asyncio.create_task(self._listen())
        try:
            await asyncio.wait({listening})
        finally:
            # A Redis client in the middle of a retry swallows a cancellation: it is told until it ends.
            while not listening.done():
                listening.cancel()
                await asyncio.wait({listening}, timeout=0.1)

    async def _listen(self) -> None:
        while True:
            try:
                message = await self._layer.receive(self._name)
            except Exception as error:
                # A Redis client that is cancelled in the middle may raise its own error; cancelled it is.
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    raise asyncio.CancelledError from error
                logger.warning("Hints cannot be heard (%r): tails look every %s seconds.", error, LOOK)
                await asyncio.sleep(LOOK)
                continue
            self.heard(message["group"], message["cursor"])

    async def _beat(self) -> None:
        looked = time.monotonic()
        while True:
            rested = min((feed.rests_until for feed in self._due), default=None)
            ends = looked + LOOK if rested is None else min(rested, looked + LOOK)
            try:
                async with asyncio.timeout(max(0.0, ends - time.monotonic()) if self.feeds else None):
                    await self._work.wait()
            except TimeoutError:
                pass
            self._work.clear()
            now = time.monotonic()
            if now - looked >= LOOK:
                looked = now
                try:
                    self._due |= await self._behind()
                except Exception:
                    logger.exception("Tails could not be looked at; hints are all they have.")
            for feed in [one for one in self._due if one.rests_until <= now]:
                self._due.discard(feed)
                try:
                    await feed.serve()
                except Exception:
                    logger.exception("A tail could not be read; it is tried again.")
                    feed.rests_until = time.monotonic() + MOST
                    self._due.add(feed)
                    await database_sync_to_async(lambda: None)()  # a connection that broke is closed

    async def _behind(self) -> set[Feed]:
        """Feeds that have news without a hint having said so: one query for threads, one for channels."""
        newest = await database_sync_to_async(_newest)(list(self.feeds))
        behind = {feed for feed in self.feeds.values() if any(viewer.late() for viewer in feed.viewers)}
        for group, feed in list(self.feeds.items()):
            cursor = newest.get(group)
            if cursor is None or cursor > feed.cursor:
                feed.cursor = feed.cursor + 1 if cursor is None else cursor
                behind.add(feed)
        return behind


def _newest(groups: list[str]) -> dict[str, int]:
    keys: dict[str, list[int]] = {"thread": [], "channel": []}
    for group in groups:
        _, kind, pk = group.split(".")
        keys[kind].append(int(pk))
    threads = Thread.objects.filter(pk__in=keys["thread"]).values_list("pk", "last_seq")
    channels = Channel.objects.filter(pk__in=keys["channel"]).values_list("pk", "last_change")
    return {group_of("thread", pk): n for pk, n in threads} | {
        group_of("channel", pk): n for pk, n in channels
    }


_hub: Hub | None = None


def hub() -> Hub:
    """The running loop's own."""
    global _hub
    if _hub is None or _hub.loop is not asyncio.get_running_loop():
        _hub = Hub()
    return _hub


# ---------------------------------------------------------------- one socket


async def watch_thread(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """The ASGI application of `/ws/threads/<pk>/`."""
    await _watch("thread", Thread.objects.filter(pk=scope["url_route"]["kwargs"]["pk"]), scope, receive, send)


async def watch_channel(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """The ASGI application of `/ws/channels/<slug>/`."""
    slug = scope["url_route"]["kwargs"]["channel"]
    rows = Channel.objects.filter(slug=slug) if SLUG.fullmatch(slug) else Channel.objects.none()
    await _watch("channel", rows, scope, receive, send)


async def _watch(kind: str, rows: Any, scope: dict[str, Any], receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "websocket.accept"})
    hints.begin()
    pk = await database_sync_to_async(rows.values_list("pk", flat=True).first)()
    if pk is None:
        await send({"type": "websocket.close", "code": GONE, "reason": f"there is no such {kind}"})
        return
    viewer = Viewer(send, fields=kind == "thread" and b"fields=1" in scope.get("query_string", b""))
    feed = await hub().join(kind, pk, viewer)
    try:
        # Subscribed; what is there is read after that, so nothing falls between.
        newest = (await database_sync_to_async(_newest)([feed.group])).get(feed.group, 0)
        viewer.cursor = _after(scope, newest)
        if viewer.cursor > newest:
            viewer.close(RELOAD, "there is less here than you know of")
        else:
            viewer.paused = False
            feed.cursor = max(feed.cursor, newest)
            hub().due(feed)
        while (message := await receive())["type"] != "websocket.disconnect":
            _hear(viewer, content(message))
            if viewer.ready(feed.cursor):
                hub().due(feed)
    finally:
        await hub().leave(feed, viewer)


def _after(scope: dict[str, Any], newest: int) -> int:
    """The cursor that a viewer comes with; what is newest if it gives none."""
    given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("after", [""])[-1]
    return int(given) if given.isascii() and given.isdigit() and len(given) < 19 else newest


def _hear(viewer: Viewer, data: bytes) -> None:
    """What a viewer says: `{"ack": n}`, `{"pause": true}`, `{"pause": false}`, and `{"rows": n}`, the newest
    rows of the event list that it shows. Anything else is nothing."""
    try:
        said = orjson.loads(data)
    except orjson.JSONDecodeError:
        return
    if not isinstance(said, dict) or viewer.closing:
        return
    if isinstance(said.get("ack"), int):
        viewer.acknowledged(said["ack"])
    if isinstance(said.get("rows"), int):
        viewer.rows = min(max(said["rows"], 0), ROWS)
    if isinstance(said.get("pause"), bool):
        viewer.paused = said["pause"]
        if not viewer.paused:
            viewer.under_way = []
