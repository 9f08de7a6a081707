"""vLLM, and what its chat templates make of an OpenAI message list."""

from __future__ import annotations

from dataclasses import replace

from turnscope.core.repair.targets.openai import OPENAI_CHAT
from turnscope.core.repair.targets.row import NO, READ, YES, Fact

SERVER = "vllm 0.33.0 entrypoints/chat_utils.py"

VLLM = replace(
    OPENAI_CHAT,
    name="vllm",
    title="vLLM and its chat templates",
    answered=Fact(
        YES,
        "the server pairs nothing and the chat template decides: a call without its result is read as one "
        "that nobody answered, or refused (which templates refuse it is not verified)",
        SERVER,
        None,
    ),
    adjacency=Fact(
        "immediate",
        "templates look for tool messages directly behind the assistant message with the calls",
        "charmbracelet/crush#279",
        READ,
    ),
    boundary=Fact(
        ("user", "system", "developer", "assistant"),
        "any message that is no tool message closes the window for results",
        "charmbracelet/crush#279",
        READ,
    ),
    orphans=Fact(
        YES,
        "message has tool role, but there was no previous assistant message with a tool call",
        "cubist38/mlx-openai-server#205",
        READ,
    ),
    duplicates=Fact(
        YES,
        "the server does not check for a second result; templates render both (not verified further)",
        SERVER,
        None,
    ),
    arguments=Fact(
        "object_text",
        "arguments are a text that parses to a JSON object, since templates go through it: before 0.33 any "
        "other was refused for ever, since then it is read as {}, as none at all always was",
        f"{SERVER}, vllm-project/vllm#43995, QwenLM/Qwen3#1894, mudler/LocalAI#10256",
        READ,
    ),
    id_pattern=Fact("", "any characters (Kimi's own are functions.name:index)", SERVER, READ),
    id_max=Fact(0, "no length known (not verified)", "no report of a refusal found", None),
    empty_message=Fact(
        YES,
        "templates put content together as text: one without it and without calls is nothing (not verified)",
        SERVER,
        None,
    ),
    alternate=Fact(
        NO,
        "neighbours of one role pass the server; what templates that insist on alternation (Gemma's, "
        "Mistral's) want is not mended",
        "charmbracelet/crush#279",
        READ,
    ),
    system_first=Fact(
        YES,
        "System message must be at the beginning: templates of Qwen's take one, before all others, and those "
        "that take it anywhere take it there too",
        "vllm-project/vllm#41114, #44505, intuitem/ciso-assistant-community#4679",
        READ,
    ),
)  # fmt: skip
