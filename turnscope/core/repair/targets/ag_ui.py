"""AG-UI itself."""

from __future__ import annotations

from turnscope.core.repair.targets.row import NO, READ, YES, Fact, Target

AG_UI = Target(
    name="ag_ui",
    title="AG-UI",
    shapes=("ag_ui",),
    answered=Fact(
        YES,
        "AG-UI itself does not pair messages; the agent behind it hands them to a model, which refuses "
        "an open call",
        "@ag-ui/client 1.0.0 verify.ts and defaultApplyEvents; pydantic/pydantic-ai#3461",
        READ,
    ),
    adjacency=Fact(
        "until",
        "a result answers a call only before the next user, system or developer message",
        "@ag-ui/client 1.0.0 defaultApplyEvents puts results behind their call",
        READ,
    ),
    boundary=Fact(
        ("user", "system", "developer"),
        "a user, system or developer message closes the window for results",
        "@ag-ui/client 1.0.0; the window itself is the providers' rule",
        READ,
    ),
    orphans=Fact(
        YES,
        "AG-UI accepts a tool message without its call, but no model behind it does",
        "@ag-ui/client 1.0.0 defaultApplyEvents",
        READ,
    ),
    duplicates=Fact(
        YES,
        "AG-UI keeps two tool messages for one call, which the model behind it refuses",
        "ag-ui-protocol/ag-ui#1346",
        READ,
    ),
    results_first=Fact(NO, "a tool message holds nothing but its result", "AG-UI 1.0 schema", READ),
    arguments=Fact("text", "function.arguments is a string of any content", "AG-UI 1.0 schema", READ),
    id_scope=Fact("group", "a call id may come again in a later message", "AG-UI 1.0 schema", READ),
    id_pattern=Fact("", "any characters", "AG-UI 1.0 schema", READ),
    id_max=Fact(0, "an id of any length", "AG-UI 1.0 schema", READ),
    empty_text=Fact("ok", "empty content is allowed", "AG-UI 1.0 schema", READ),
    empty_message=Fact(NO, "an assistant message may be empty", "AG-UI 1.0 schema", READ),
    reasoning=Fact("none", "reasoning messages stand on their own", "AG-UI 1.0 schema", READ),
    denial=Fact(NO, "a declined call is answered like any other", "AG-UI 1.0 schema", READ),
)
