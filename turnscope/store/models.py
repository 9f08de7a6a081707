"""What is kept. Segments are the truth; Turn, Run, Call and Finding rows are derived and can be rebuilt.

Only `journal.py` writes these tables. Ids in URLs are the surrogate keys here; a producer's ids are
data: display columns are cut to NAME characters, look-ups go by digest (`key`). NUL and lone
surrogates are escaped before they reach a text column (`journal.shown`), the raw bytes keep them.
"""

from __future__ import annotations

from django.db import models

NAME = 200
"""Longest producer's text in a display column, in characters."""


class Channel(models.Model):
    """A named source that people tail."""

    slug = models.CharField(max_length=64, unique=True)
    settings = models.JSONField(default=dict)
    """Shape: `turnscope.core.tools.SETTINGS`, plus `origins`, `target`, `policy`."""
    created_at = models.DateTimeField(auto_now_add=True)
    last_change = models.BigIntegerField(default=0)
    """The channel's own change number: the cursor of its tail. Grows by one with each committed batch."""

    def __str__(self) -> str:
        return self.slug


class Token(models.Model):
    """An ingest token: only its digest is kept."""

    channel = models.ForeignKey(Channel, models.CASCADE, related_name="tokens")
    digest = models.CharField(max_length=64, unique=True)
    label = models.CharField(max_length=NAME)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.label


class Thread(models.Model):
    """One conversation: the scope in which frames are numbered and calls are paired."""

    channel = models.ForeignKey(Channel, models.CASCADE, related_name="threads")
    key = models.CharField(max_length=64)
    """Digest of (scope, producer's thread id): live streams share the channel's, a recording has its own."""
    name = models.CharField(max_length=NAME)
    """The producer's thread id, for display."""
    name_key = models.CharField(max_length=32, default="", db_index=True)
    """Digest of the whole thread id, whatever its scope: what the find box looks up."""
    title = models.CharField(max_length=NAME)
    last_seq = models.BigIntegerField(default=0)
    fold_version = models.IntegerField(default=0)
    change = models.BigIntegerField(default=0)
    """The channel's change number when it last changed."""
    settings = models.JSONField(default=dict)
    """In force, as the last settings mark recorded them."""
    started_at = models.BigIntegerField(default=0)
    """ms since 1970, like every `_at` that events bring; 0 unknown."""
    last_at = models.BigIntegerField(default=0)
    live = models.BooleanField(default=False)
    """Some run is open on a stream that is not closed: the watch looks at it."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["channel", "key"], name="thread_once")]
        indexes = [models.Index(fields=["channel", "change"]), models.Index(fields=["live"])]

    def __str__(self) -> str:
        return self.name


class Stream(models.Model):
    """One connection's or file's sequence of frames."""

    channel = models.ForeignKey(Channel, models.CASCADE, related_name="streams")
    key = models.CharField(max_length=64)
    """Digest of the producer's own stream id, or random for one that gave none."""
    name = models.CharField(max_length=NAME)
    """A file's name, or the producer's stream id, for display."""
    dialect = models.CharField(max_length=32)
    recording = models.BooleanField(default=False)
    thread = models.ForeignKey(Thread, models.SET_NULL, null=True, related_name="streams")
    """The thread its frames go to now."""
    last_n = models.BigIntegerField(default=0)
    """The producer's last number stored, or how many frames it has brought: what an ack says."""
    numbered = models.BooleanField(default=False)
    """It numbers its frames itself."""
    frames = models.BigIntegerField(default=0)
    """How many frames it has brought; the next one's place is frames + 1."""
    lease = models.CharField(max_length=32, default="")
    """Who writes it now: `<writer's key>.<random>`; a second hello takes it over. "" when closed."""
    opened_at = models.BigIntegerField(default=0)
    closed_at = models.BigIntegerField(default=0)
    closed_why = models.CharField(max_length=32, default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["channel", "key"], name="stream_once")]

    def __str__(self) -> str:
        return self.name


class Feed(models.Model):
    """A stream has brought frames to a thread: where to look for the frames of a stream."""

    thread = models.ForeignKey(Thread, models.CASCADE, related_name="feeds")
    stream = models.ForeignKey(Stream, models.CASCADE, related_name="feeds")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["thread", "stream"], name="feed_once")]

    def __str__(self) -> str:
        return f"{self.stream_id} -> {self.thread_id}"


class Writer(models.Model):
    """A process that writes. Its streams are lost when it has not been seen for a while."""

    key = models.CharField(max_length=16, unique=True)
    """Random; the first part of the lease of each stream it writes."""
    seen_at = models.BigIntegerField()

    def __str__(self) -> str:
        return self.key


class Segment(models.Model):
    """Many frames and marks of one thread in one row, compressed.

    `header` holds for each frame its kind, arrival time, stream, place in the stream and length
    (packed, see `segments.py`), so that filtering by kind needs no decompression; `body` is the
    frames' raw bytes, one after the other, as one zstd frame.
    """

    thread = models.ForeignKey(Thread, models.CASCADE, related_name="segments")
    first_seq = models.BigIntegerField()
    last_seq = models.BigIntegerField()
    raw_bytes = models.BigIntegerField()
    header = models.BinaryField()
    body = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["thread", "first_seq"], name="segment_once")]

    def __str__(self) -> str:
        return f"{self.first_seq}..{self.last_seq}"


class Derived(models.Model):
    """What every derived row has."""

    thread = models.ForeignKey(Thread, models.CASCADE)
    number = models.IntegerField()
    """Its number in the picture (`core/thread.py`), from 1."""
    changed_at_seq = models.BigIntegerField()
    """The seq of the last event that changed it: the cursor of tails."""

    class Meta:
        abstract = True


class Turn(Derived):
    """From one user message to the next."""

    title = models.CharField(max_length=NAME)
    inferred = models.BooleanField(default=False)
    state = models.CharField(max_length=16)
    """Its last run's state, or `hanging`/`waiting` for what a person should know first (`books.py`)."""
    headline = models.TextField()
    severity = models.CharField(max_length=8, default="")
    """Of its worst root finding; "" for none."""
    first_seq = models.BigIntegerField()
    last_seq = models.BigIntegerField()
    started_at = models.BigIntegerField(default=0)
    last_at = models.BigIntegerField(default=0)
    started = models.IntegerField(default=0)
    ended = models.IntegerField(default=0)
    answered = models.IntegerField(default=0)
    open = models.IntegerField(default=0)
    waiting = models.IntegerField(default=0)
    failed = models.IntegerField(default=0)
    oldest_at = models.BigIntegerField(default=0)
    errors = models.IntegerField(default=0)
    """Root findings at error; likewise warnings."""
    warnings = models.IntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["thread", "number"], name="turn_once")]
        indexes = [models.Index(fields=["thread", "changed_at_seq"])]

    def __str__(self) -> str:
        return f"turn {self.number}"


class Run(Derived):
    """One run of the agent."""

    turn = models.IntegerField(default=0)
    """Numbers of other rows of the same thread, not keys: the picture's own."""
    stream = models.BigIntegerField(default=0)
    run_id = models.CharField(max_length=NAME)
    run_key = models.CharField(max_length=32, default="", db_index=True)
    """Digest of the whole run id: what the find box looks up."""
    state = models.CharField(max_length=16)
    outcome = models.CharField(max_length=64, default="")
    error = models.TextField(default="")
    error_code = models.CharField(max_length=NAME, default="")
    inferred = models.BooleanField(default=False)
    start_seq = models.BigIntegerField()
    end_seq = models.BigIntegerField(default=0)
    last_seq = models.BigIntegerField(default=0)
    start_at = models.BigIntegerField(default=0)
    end_at = models.BigIntegerField(default=0)
    last_at = models.BigIntegerField(default=0)
    started = models.IntegerField(default=0)
    ended = models.IntegerField(default=0)
    results = models.IntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["thread", "number"], name="run_once")]
        indexes = [models.Index(fields=["thread", "changed_at_seq"])]

    def __str__(self) -> str:
        return self.run_id


class Call(Derived):
    """One tool call."""

    turn = models.IntegerField(default=0)
    run = models.IntegerField(default=0)
    call_id = models.CharField(max_length=NAME)
    call_key = models.CharField(max_length=32, db_index=True)
    """Digest of the whole call id: what the find box looks up."""
    occurrence = models.IntegerField(default=1)
    name = models.CharField(max_length=NAME)
    plane = models.CharField(max_length=8)
    state = models.CharField(max_length=16)
    reason = models.CharField(max_length=NAME, default="")
    owner = models.CharField(max_length=16)
    owner_source = models.CharField(max_length=16, default="")
    owner_reason = models.CharField(max_length=NAME, default="")
    limit_ms = models.BigIntegerField(null=True)
    start_seq = models.BigIntegerField(default=0)
    end_seq = models.BigIntegerField(default=0)
    closed_seq = models.BigIntegerField(default=0)
    start_at = models.BigIntegerField(default=0)
    end_at = models.BigIntegerField(default=0)
    closed_at = models.BigIntegerField(default=0)
    args_length = models.BigIntegerField(default=0)
    args_verdict = models.CharField(max_length=32, default="")
    args_excerpt = models.TextField(default="")
    answers = models.JSONField(default=list)
    """[{plane, source, seq, at, length, error, excerpt, late}] of `core.thread.Answer`, the first eight."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["thread", "number"], name="call_once")]
        indexes = [
            models.Index(fields=["thread", "changed_at_seq"]),
            models.Index(fields=["thread", "turn"]),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.call_id}"


class Finding(models.Model):
    """One place where something is wrong: (code, subject, occurrence) in its thread."""

    thread = models.ForeignKey(Thread, models.CASCADE, related_name="findings")
    key = models.CharField(max_length=64)
    """Digest of (code, subject, occurrence)."""
    code = models.CharField(max_length=4)
    name = models.CharField(max_length=32)
    severity = models.CharField(max_length=8)
    """As the channel takes it; likewise `muted` and `heads`."""
    muted = models.CharField(max_length=NAME, default="")
    """Why it does not count, if a person has muted it."""
    heads = models.BooleanField(default=False)
    """Lists count it: it stands, is not muted, and nothing that counts explains it."""
    subject = models.CharField(max_length=NAME)
    occurrence = models.IntegerField(default=1)
    culprit = models.CharField(max_length=16)
    culprit_reason = models.CharField(max_length=NAME, default="")
    message = models.TextField()
    repair = models.CharField(max_length=NAME, default="")
    seqs = models.JSONField(default=list)
    because_of = models.JSONField(default=list)
    """[{code, subject, occurrence}] of the findings that explain it; [] for a root."""
    turn = models.IntegerField(default=0)
    run = models.IntegerField(default=0)
    call = models.IntegerField(default=0)
    count = models.IntegerField(default=1)
    opened_seq = models.BigIntegerField()
    closed_seq = models.BigIntegerField(default=0)
    """0: it stands."""
    changed_at_seq = models.BigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["thread", "key"], name="finding_once")]
        indexes = [
            models.Index(fields=["thread", "changed_at_seq"]),
            models.Index(fields=["severity", "code"]),
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.subject}"


class Import(models.Model):
    """A file that is being read in, or was."""

    channel = models.ForeignKey(Channel, models.CASCADE, related_name="imports")
    stream = models.ForeignKey(Stream, models.SET_NULL, null=True)
    name = models.CharField(max_length=NAME)
    size = models.BigIntegerField(default=0)
    read = models.BigIntegerField(default=0)
    state = models.CharField(max_length=16, default="waiting")
    """`waiting`, `reading`, `done`, `failed`."""
    rejected = models.JSONField(default=list)
    """[{line, reason}], the first hundred."""
    key = models.CharField(max_length=64, default="", db_index=True)
    """Digest of an Idempotency-Key; "" without one."""
    answer = models.JSONField(default=dict)
    """What the request was answered, given again to a retry with the same key."""
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name
