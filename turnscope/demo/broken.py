"""The demo's broken conversations: what Turnscope exists for, told with invented agents.

Each function writes one stream; its docstring says what the stream is made for and what must be found.
`python -m turnscope.demo` puts them into `streams/`, and a test holds the two together.
"""

from __future__ import annotations

from turnscope.demo.script import Script

DAY = 1_795_939_200_000
"""29 November 2026, 08:00 UTC, in ms: the morning all of it happens."""

MINUTE = 60_000

DASHBOARD = ("filter_table", "highlight_rows", "open_panel")
"""What the fleet dashboard offers an agent to do in the page."""


def fleet_dropped_result() -> Script:
    """A server tool batched with two of the browser's: it ran, the adapter lost its result (C02), and the
    next request is refused for it (T02, R05)."""
    s = Script("fleet-night-mode", DAY + 6 * MINUTE, tools=DASHBOARD)
    s.user(
        "Put the cold rooms on level 2 into night mode, filter the table to them "
        "and highlight the ones that did not react."
    )
    s.start()
    s.say("I'll switch the six cold rooms on level 2 to night mode and show them in the table.")
    switch = s.call("set_operating_mode", {"zone": "level-2/cold-rooms", "mode": "night"})
    ran = s.at
    table = s.call("filter_table", {"column": "zone", "value": "level-2/cold-rooms"})
    marks = s.call("highlight_rows", {"where": "mode != 'night'", "tone": "amber"})
    s.evidence(switch, "start", at=ran + 20)
    s.evidence(switch, "result", {"changed": 5, "unreachable": ["cr-2-04"]}, at=ran + 820)
    s.finish(pending=[table, marks], after=950)
    s.answer(table, "6 rows shown")
    s.answer(marks, "1 row highlighted")
    s.start(after=1_900)
    s.fail(f"Tool result is missing for tool call {switch}.", "AI_MissingToolResultsError", after=420)
    return s


MAIL_SEARCHES = (
    ("select:search_mail,fetch_thread", 0.4, "search_mail, fetch_thread loaded"),
    ("label or archive a thread", 0.5, "label_thread loaded"),
    ("read an attachment", 0.4, "read_attachment loaded"),
    ("draft a reply", 0.7, "draft_reply loaded"),
)


def mail_ended_early() -> Script:
    """28 calls started, 26 answered: the run ended for the caller while the harness's own ToolSearch was open
    (C03), with the host's fetch_thread beside it (C02, explained by it)."""
    s = Script("mail-workshop", DAY + 21 * MINUTE)
    s.user(
        "Find the three threads about the November workshop, tell me what is still open "
        "and draft an answer to the caterer."
    )
    s.start()
    s.say("I'll look through the mailbox for the workshop threads first.")
    s.done("ToolSearch", {"query": MAIL_SEARCHES[0][0]}, MAIL_SEARCHES[0][2], took=420)
    s.next_step()
    asked = [
        s.call("search_mail", {"query": query, "limit": 20})
        for query in ("workshop november", "workshop catering", "workshop room booking")
    ]
    for call, found, took in zip(asked, (14, 5, 8), (900, 1_650, 480), strict=True):
        s.result(call, {"threads": found, "newest": "2 days ago"}, after=took)
    s.say("Three threads stand out: the programme, the catering and the room.")
    for thread, messages, took in (("t-programme", 9, 1_240), ("t-catering", 5, 760), ("t-room", 4, 2_310)):
        s.done(
            "fetch_thread",
            {"thread": thread, "bodies": True},
            {"thread": thread, "messages": messages},
            took=took,
        )
    s.next_step()
    s.done("ToolSearch", {"query": MAIL_SEARCHES[2][0]}, MAIL_SEARCHES[2][2], took=510)
    s.next_step()
    files = [
        s.call("read_attachment", {"thread": thread, "name": name})
        for thread, name in (
            ("t-programme", "programme-v4.pdf"), ("t-catering", "offer.pdf"),
            ("t-catering", "allergens.xlsx"), ("t-room", "floor-plan.pdf"),
        )
    ]  # fmt: skip
    for call, pages, took in zip(files, (3, 2, 1, 1), (3_400, 640, 1_120, 380), strict=True):
        s.result(call, {"pages": pages, "text": "extracted"}, after=took)
    s.say(
        "The programme is settled. The caterer waits for the number of vegetarian meals, "
        "the room for a deposit."
    )
    s.done("ToolSearch", {"query": MAIL_SEARCHES[1][0]}, MAIL_SEARCHES[1][2], took=380)
    for skill, took in (("writing-replies.md", 310), ("house-style.md", 290)):
        s.done(
            "Read",
            {"skill": "mail", "file": skill},
            "Keep it short. Answer every question that was asked.",
            took=took,
        )
    s.next_step()
    labels = [
        s.call("label_thread", {"thread": thread, "label": label})
        for thread, label in (("t-programme", "done"), ("t-catering", "waiting"), ("t-room", "waiting"))
    ]
    for call, took in zip(labels, (420, 350, 610), strict=True):
        s.result(call, {"ok": True}, after=took)
    s.next_step()
    for query, found, took in (("vegetarian meals headcount", 2, 1_480), ("deposit invoice", 1, 820)):
        s.done("search_mail", {"query": query, "limit": 5}, {"threads": found}, took=took)
    for thread, messages, took in (("t-headcount", 6, 1_910), ("t-deposit", 2, 700)):
        s.done("fetch_thread", {"thread": thread}, {"thread": thread, "messages": messages}, took=took)
    s.next_step()
    s.done("ToolSearch", {"query": MAIL_SEARCHES[3][0]}, MAIL_SEARCHES[3][2], took=690)
    s.done(
        "Read",
        {"skill": "mail", "file": "templates.md"},
        "Greeting, answer, one question, closing.",
        took=330,
    )
    s.done(
        "fetch_thread", {"thread": "t-catering", "last": 2}, {"thread": "t-catering", "messages": 2}, took=880
    )
    s.done("search_mail", {"query": "signature", "limit": 1}, {"threads": 1}, took=560)
    s.say("Now the draft. I need the newest message once more and a tool to save it.")
    s.call("fetch_thread", {"thread": "t-catering", "last": 1})
    s.call("ToolSearch", {"query": "save a draft in the mailbox"})
    s.finish(plain=True, after=1_350)
    return s


def notes_server_gone() -> Script:
    """A tool server was removed between two turns; the model calls its tool from memory (C13), the arguments
    do not parse (C11) and the turn just ends (R04)."""
    s = Script("notes-harvest", DAY + 48 * MINUTE, tools=("notes_search", "notes_append", "load_tools"))
    s.user("What did we write down about the greenhouse trial?")
    s.start()
    s.done(
        "notes_search", {"query": "greenhouse trial", "limit": 5},
        {"notes": ["Trial plan", "Week 1: seedlings", "Week 2: lamps"]}, took=1_340,
    )  # fmt: skip
    s.say("There are three notes: the trial plan, and one for each of the first two weeks.")
    s.finish()
    s.wait(4 * MINUTE)
    s.user("And what is planned for week 3?")
    s.start(tools=("load_tools",))
    s.call("notes_search", '{"query": "greenhouse trial week 3", "since": ', cut=True)
    s.finish(plain=True, after=640)
    return s


def dashboard_torn_tab() -> Script:
    """The tab went away while the browser owed an answer (C04): three messages in a row are refused for it
    (T02, R05), and the thread is poisoned (R06)."""
    s = Script("dashboard-turbines", DAY + 72 * MINUTE, tools=DASHBOARD)
    s.user("Which of the turbines stand still? Show me only those.")
    s.start()
    s.done(
        "list_devices",
        {"kind": "turbine", "state": "stopped"},
        {"devices": ["T-03", "T-11", "T-12"]},
        took=2_140,
    )
    s.say("Three of fourteen stand still: T-03, T-11 and T-12. I'll filter the table to them.")
    table = s.call("filter_table", {"column": "id", "values": ["T-03", "T-11", "T-12"]})
    s.finish(pending=[table])
    for text, pause in (
        ("Hello? The table did not change.", 2 * MINUTE),
        ("Please show me the stopped turbines.", MINUTE),
        ("Is anybody there?", 3 * MINUTE),
    ):
        s.wait(pause)
        s.user(text)
        s.start()
        s.fail(f"Tool result is missing for tool call {table}.", "AI_MissingToolResultsError", after=340)
    return s


def dashboard_late_result() -> Script:
    """The page answered after the person had already written again: the result is there, in a place where no
    model API accepts it (C06)."""
    s = Script("dashboard-pumps", DAY + 95 * MINUTE, tools=DASHBOARD)
    s.user("Open the panel of the pump with the highest vibration.")
    s.start()
    s.done(
        "rank_devices",
        {"kind": "pump", "by": "vibration", "limit": 1},
        {"top": "P-207", "mm_s": 7.9},
        took=1_720,
    )
    s.say("P-207 vibrates most, at 7.9 mm/s. I'll open its panel.")
    panel = s.call("open_panel", {"device": "P-207"})
    s.finish(pending=[panel])
    s.wait(40_000)
    s.user("Never mind, I found it. Is there a service report for it?")
    s.history.append(
        {"id": "tool_late", "role": "tool", "toolCallId": panel, "content": "panel P-207 opened"}
    )
    s.start()
    s.fail(f"Tool result is missing for tool call {panel}.", "AI_MissingToolResultsError", after=380)
    return s


def report_run_error() -> Script:
    """The provider closed the stream in the middle of a turn (R05): the card that was open is aborted."""
    s = Script("report-energy", DAY + 118 * MINUTE)
    s.user("Write the energy report for October: consumption per hall, and what changed against September.")
    s.start()
    s.say("I'll read the meters for both months.")
    s.done("read_meters", {"month": "2026-10", "by": "hall"}, {"rows": 12, "kwh": 48_210}, took=3_270)
    s.done("read_meters", {"month": "2026-09", "by": "hall"}, {"rows": 12, "kwh": 51_904}, took=2_880)
    s.say("October used 48,210 kWh, seven percent less than September. A chart shows where it went.")
    s.call("render_chart", {"kind": "bars", "series": ["2026-09", "2026-10"], "by": "hall"})
    s.fail("The provider is overloaded and closed the stream.", "overloaded_error", after=6_400)
    return s
