"""Google Gemini (generateContent, on either host)."""

from __future__ import annotations

from turnscope.core.repair.targets.row import NO, READ, YES, Fact, Target

GEMINI = Target(
    name="gemini",
    title="Google Gemini",
    shapes=("gemini",),
    answered=Fact(
        YES,
        "the number of function response parts must be equal to the number of function call parts of the "
        "function call turn",
        "google-gemini/gemini-cli#16415, #4217, #5443",
        READ,
    ),
    adjacency=Fact(
        "immediate",
        "a function response turn comes immediately after its function call turn, all responses in one "
        "content",
        "langchain-ai/langchain#27799, google-gemini/gemini-cli#26956",
        READ,
    ),
    boundary=Fact(
        ("user", "assistant"),
        "any content between a function call turn and its function response turn breaks the pair",
        "google-gemini/gemini-cli#26486, #11814",
        READ,
    ),
    orphans=Fact(
        YES,
        "a function response turn must come immediately after a function call turn",
        "langchain-ai/langchain#27799",
        READ,
    ),
    duplicates=Fact(
        YES,
        "one function response part for each function call part, no more",
        "google-gemini/gemini-cli#16415",
        READ,
    ),
    results_first=Fact(
        YES,
        "the content with function responses holds nothing else: text and media stand in a content behind it",
        "vellum-ai/vellum-assistant#39495, maximhq/bifrost#1387, google-gemini/gemini-cli#16137",
        READ,
    ),
    arguments=Fact("object", "args is an object", "google-genai 3.6 types.FunctionCall", READ),
    id_scope=Fact(
        "group",
        "ids are optional; responses are matched by id, else by name and order",
        "google-adk 2.13 contents.py; google-genai 3.6 types.FunctionResponse",
        READ,
    ),
    id_pattern=Fact("", "any characters (not verified)", "no report of a refusal found", None),
    id_max=Fact(0, "no length known (not verified)", "no report of a refusal found", None),
    empty_text=Fact("ok", "an empty text may carry a signature and is kept", "google-genai 3.6 Part", READ),
    empty_message=Fact(
        YES,
        "a content needs at least one part",
        "google-genai 3.6 chats.py; pydantic-ai 2.68",
        READ,
    ),
    reasoning=Fact(
        "first_call_signature",
        "the first function call of each model turn since the user last spoke carries a thought_signature "
        "(Gemini 3); the documented stand-in is skip_thought_signature_validator",
        "nanbingxyz/5ire#405, https://ai.google.dev/gemini-api/docs/thought-signatures",
        READ,
    ),
    denial=Fact(NO, "a declined call is answered like any other", "google-genai 3.6", READ),
    alternate=Fact(
        YES,
        "a function call turn comes immediately after a user turn or a function response turn, so neighbours "
        "of one role are one turn",
        "google-gemini/gemini-cli#26486, continuedev/continue#11164, earendil-works/pi#2251",
        READ,
    ),
    first_user=Fact(
        YES,
        "a history begins with a user turn",
        "google-gemini/gemini-cli#11814, NousResearch/hermes-agent#55427",
        READ,
    ),
    name_pattern=Fact(
        "(?s).+",
        "a function call has a name (what else a name must be is not verified)",
        "google-genai 3.6 types.FunctionCall; the refusal itself is quoted for responses alone",
        READ,
    ),
    result_names=Fact(
        YES,
        "function_response.name: Name cannot be empty",
        "openclaw/openclaw#47857, brainlid/langchain#539, vectorize-io/hindsight#187, ollama/ollama#14214",
        READ,
    ),
)
