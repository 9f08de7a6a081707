"""The catalogue of rules: what can be wrong with a conversation, one module each.

A rule is a module whose docstring is its page (what it sees, why it matters, seen in, repair) with

    CODE, NAME, SEVERITY   its stable code, its name, the worst it can be
    SUBJECT                what it is asked about: "call", "run", "frame" or "thread"
    ASKED                  when: its subject was "touched", its run "ended", the clock "ticked", no run is
                           open any more ("rested")
    REPAIRED_BY            the planes a repair mends it in: "stream", "transcript"; () when nothing can
    check(thread, subject, now) -> findings   pure, O(1); `now` is the thread's clock in ms

and, where it applies, ALSO (further (subject, asked, check) of the same code), NEEDS (what its subject must
have before check() can find anything: `asking.py`), FINAL (a verdict as severe as SEVERITY is never asked
about again) and STANDS_FOR ("thread": each verdict replaces the last). The tuple is
literal: a test holds it equal to the folder. Codes are never reused. `judge.py` asks, `causes.py` explains,
`headline.py` says it in one sentence.
"""

from __future__ import annotations

from types import ModuleType

from . import (
    c01_hanging_call,
    c02_unanswered_call,
    c03_ended_on_harness_call,
    c04_abandoned_call,
    c05_overdue_wait,
    c06_late_result,
    c07_orphan_result,
    c08_duplicate_result,
    c09_duplicate_call,
    c10_result_out_of_order,
    c11_unparsable_arguments,
    c12_unknown_tool,
    c13_vanished_tool,
    c14_unclosed_call,
    c15_call_id_mismatch,
    c16_result_not_streamed,
    c17_erased_result,
    c18_slow_call,
    c19_repeated_call,
    c20_unapproved_execution,
    c21_wrong_pending_list,
    c22_failure_as_success,
    c23_wrong_parent,
    c24_partial_output,
    c25_mixed_arguments,
    c26_leaked_call,
    c27_oversized_result,
    r01_stalled_run,
    r02_truncated_run,
    r03_count_mismatch,
    r04_silent_stop,
    r05_run_error,
    r06_poisoned_thread,
    r07_overlapping_runs,
    r08_event_after_terminal,
    r09_run_id_mismatch,
    r10_unclosed_part,
    r11_resumed_unanswered,
    r12_not_executed,
    r13_no_follow_up,
    r14_wrong_finish_reason,
    s01_unreadable_frame,
    s02_unknown_event,
    s03_invalid_event,
    s04_client_would_refuse,
    s05_sequence_gap,
    s06_state_patch_failed,
    s07_out_of_order,
    s08_hidden_characters,
    s09_clock_disorder,
    s10_old_client_risk,
    s11_damaged_text,
    t01_refused_by,
    t02_dangling_in_input,
    t03_unmendable,
)

RULES: tuple[ModuleType, ...] = (
    c01_hanging_call,
    c02_unanswered_call,
    c03_ended_on_harness_call,
    c04_abandoned_call,
    c05_overdue_wait,
    c06_late_result,
    c07_orphan_result,
    c08_duplicate_result,
    c09_duplicate_call,
    c10_result_out_of_order,
    c11_unparsable_arguments,
    c12_unknown_tool,
    c13_vanished_tool,
    c14_unclosed_call,
    c15_call_id_mismatch,
    c16_result_not_streamed,
    c17_erased_result,
    c18_slow_call,
    c19_repeated_call,
    c20_unapproved_execution,
    c21_wrong_pending_list,
    c22_failure_as_success,
    c23_wrong_parent,
    c24_partial_output,
    c25_mixed_arguments,
    c26_leaked_call,
    c27_oversized_result,
    r01_stalled_run,
    r02_truncated_run,
    r03_count_mismatch,
    r04_silent_stop,
    r05_run_error,
    r06_poisoned_thread,
    r07_overlapping_runs,
    r08_event_after_terminal,
    r09_run_id_mismatch,
    r10_unclosed_part,
    r11_resumed_unanswered,
    r12_not_executed,
    r13_no_follow_up,
    r14_wrong_finish_reason,
    s01_unreadable_frame,
    s02_unknown_event,
    s03_invalid_event,
    s04_client_would_refuse,
    s05_sequence_gap,
    s06_state_patch_failed,
    s07_out_of_order,
    s08_hidden_characters,
    s09_clock_disorder,
    s10_old_client_risk,
    s11_damaged_text,
    t01_refused_by,
    t02_dangling_in_input,
    t03_unmendable,
)

HEADINGS = ("What it sees", "Why it matters", "Seen in", "Repair")
"""Of every rule's page, in this order."""


def rule(code: str) -> ModuleType | None:
    """The rule of this code."""
    return next((one for one in RULES if code == one.CODE), None)


def page(module: ModuleType) -> tuple[str, dict[str, str]]:
    """A rule's page: (its one line, heading -> text)."""
    head, *parts = (module.__doc__ or "").split("\n## ")
    sections = (part.partition("\n") for part in parts)
    return head.strip().partition(": ")[2], {title.strip(): text.strip() for title, _, text in sections}
