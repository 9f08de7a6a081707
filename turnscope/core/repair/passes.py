"""The repair, in order. Each pass establishes the invariant its docstring states and records every change.

The order is the content: results are paired before any is dropped, found before any is made up, and put
in place only when everything that goes has gone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from turnscope.core.repair.filling import (
    answers_have_an_id,
    foreign_blocks_are_read,
    foreign_blocks_are_told,
    found_ids_are_told,
    names_are_known,
)
from turnscope.core.repair.pairing import (
    bind_results,
    no_result_without_call,
    one_answer_per_approval,
    one_call_per_id,
    one_result_per_call,
    provider_pairs_are_whole,
)
from turnscope.core.repair.placing import (
    dropped_parts_are_gone,
    messages_are_not_empty,
    results_are_in_place,
    texts_are_not_empty,
)
from turnscope.core.repair.refused import ids_are_left_alone, refused_pairs_are_texts
from turnscope.core.repair.settling import (
    arguments_fit,
    keep_what_is_pending,
    recover_results,
    settle_unanswered,
)
from turnscope.core.repair.spelling import (
    contents_are_spelled,
    item_ids_are_spelled,
    no_item_stands_twice,
    reasoning_has_its_item,
    reasoning_is_echoed,
    thinking_is_bound,
)
from turnscope.core.repair.turns import (
    first_calls_are_signed,
    neighbours_are_one_turn,
    results_stand_alone,
    roles_are_known,
    roles_may_follow,
    system_comes_first,
    turns_alternate,
)
from turnscope.core.repair.work import Work

Pass: TypeAlias = Callable[[Work], None]

PASSES: tuple[Pass, ...] = (
    roles_are_known,
    system_comes_first,
    foreign_blocks_are_read,
    results_stand_alone,
    neighbours_are_one_turn,
    answers_have_an_id,
    one_call_per_id,
    bind_results,
    one_result_per_call,
    names_are_known,
    one_answer_per_approval,
    no_result_without_call,
    provider_pairs_are_whole,
    texts_are_not_empty,
    recover_results,
    keep_what_is_pending,
    settle_unanswered,
    arguments_fit,
    contents_are_spelled,
    no_item_stands_twice,
    reasoning_has_its_item,
    found_ids_are_told,
    dropped_parts_are_gone,
    results_are_in_place,
    refused_pairs_are_texts,
    messages_are_not_empty,
    turns_alternate,
    roles_may_follow,
    first_calls_are_signed,
    reasoning_is_echoed,
    thinking_is_bound,
    item_ids_are_spelled,
    ids_are_left_alone,
    foreign_blocks_are_told,
)
