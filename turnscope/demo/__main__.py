"""`python -m turnscope.demo`: write the scripted conversations into `streams/` anew."""

from __future__ import annotations

from turnscope.demo.scenes import SCENES, STREAMS

STREAMS.mkdir(exist_ok=True)
for name, scene in SCENES.items():
    (STREAMS / f"{name}.jsonl").write_text(scene().lines(), encoding="utf-8")
