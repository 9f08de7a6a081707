"""What each consumer of a message list insists on: one row per target, each fact with its source.

Literals and nothing else, a module per maker. A new target is a row here, a shape in `shapes/` if it
spells messages in its own way, and an oracle in `tests/oracles.py`.
"""

from __future__ import annotations

from turnscope.core.repair.targets.ag_ui import AG_UI
from turnscope.core.repair.targets.ai_sdk import AI_SDK
from turnscope.core.repair.targets.anthropic import ANTHROPIC
from turnscope.core.repair.targets.bedrock import BEDROCK
from turnscope.core.repair.targets.gemini import GEMINI
from turnscope.core.repair.targets.langchain import LANGCHAIN, LANGGRAPH
from turnscope.core.repair.targets.mistral import MISTRAL
from turnscope.core.repair.targets.openai import OPENAI_CHAT, OPENAI_RESPONSES, OPENAI_RESPONSES_STRICT
from turnscope.core.repair.targets.pydantic_ai import PYDANTIC_AI
from turnscope.core.repair.targets.row import Fact, Target
from turnscope.core.repair.targets.vllm import VLLM

__all__ = ["TARGETS", "Fact", "Target"]

TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        OPENAI_CHAT,
        OPENAI_RESPONSES,
        OPENAI_RESPONSES_STRICT,
        ANTHROPIC,
        GEMINI,
        MISTRAL,
        BEDROCK,
        VLLM,
        AI_SDK,
        LANGCHAIN,
        LANGGRAPH,
        PYDANTIC_AI,
        AG_UI,
    )
}
"""By name. The order is the order of the export page."""
