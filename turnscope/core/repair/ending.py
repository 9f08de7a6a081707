"""How a repaired run begins and ends: everything closed and answered in order, before one terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from turnscope.core import events as e
from turnscope.core.repair import owing
from turnscope.core.repair import respell as r
from turnscope.core.repair.sending import Dict, Hindsight, Sending, mark, marked
from turnscope.core.repair.strict import BEFORE, FAILED, FINISHED, RUNNING
from turnscope.core.repair.transcript import Json, as_text
from turnscope.core.thread import Call, Run

CUT_OFF = "The stream ended before the run did."
CUT_OFF_CODE = "INCOMPLETE_STREAM"


class Ending(Sending):
    """Runs: opened, overrun, finished, failed, cut off."""

    def __init__(
        self,
        settings: Dict | None,
        context: Iterable[e.Event],
        hindsight: Hindsight,
        sources: Collection[str] | None,
    ) -> None:
        self.sources = sources
        """How an owner must be known for its call to be answered; None: in any way."""
        self.late = False
        """The run that is open is one of ours, for what came behind a terminal."""
        self.early = False
        """The run that ends stopped on the harness's own calls."""
        self.held: dict[str, tuple[Dict, e.CallResult, set[str]]] = {}
        """Results that came before the end of their call."""
        super().__init__(settings, context, hindsight)

    # ------------------------------------------------------------ runs

    def run_started(self, value: Dict, event: e.RunStarted, odd: set[str]) -> None:
        if self.client.state == RUNNING and event.run == self.client.run and not self.late:
            self.drop(event, "overlapping_runs", "this run is open already")
            return
        if self.client.state == RUNNING:
            self.cut("overlapping_runs")
        value = self.spelled(value, event, odd)
        told = event.input.messages if event.input is not None else ()
        out, lost = self.completed(value["input"]["messages"] if told else [], told)
        for call in lost:
            what = "the input had lost a result that was streamed"
            value = self.altered(value, event, "erased_result", what, call=call)
        self.send({**value, "input": {**value["input"], "messages": out}} if lost else value)

    def completed(
        self, messages: list[Json], told: tuple[e.HistoryMessage, ...]
    ) -> tuple[list[Json], list[str]]:
        """A history in which every call has the result the client has; and the calls that had lost theirs."""
        answered = {one.answers for one in told if one.answers is not None}
        out: list[Json] = []
        lost: list[str] = []
        for message in messages:
            out.append(message)
            for call in _call_ids(message):
                if call in self.results and call not in answered:
                    out.append(marked(self.results[call], "erased_result"))
                    lost.append(call)
        return out, lost

    def ensure_run(self, event: e.Event) -> None:
        """Content needs a run: one that nobody opened, or that had ended, is opened for it."""
        if self.client.state == RUNNING:
            return
        before = self.client.state == BEFORE
        run = "run" if before else f"{self.client.run or 'run'}-late"
        thread = self.thread.name or self.client.thread or "thread"
        self.late = not before
        self.add(
            e.RunStarted(thread, run, seq=event.seq),
            {},
            "event_before_run" if before else "event_after_terminal",
            "content came before any run" if before else "content came behind the terminal",
        )

    def run_finished(self, value: Dict, event: e.RunFinished, odd: set[str]) -> None:
        if self.client.state in (FINISHED, FAILED) or (self.late and self.client.state == RUNNING):
            self.drop(event, "event_after_terminal", "the run has ended already")
            return
        if self.client.state == BEFORE:
            begin = e.RunStarted(event.thread or "thread", event.run or "run", seq=event.seq)
            self.add(begin, {}, "event_before_run", "the run ended before it began")
        open_before = self.open_calls()
        self.know(event)
        run = self.run()
        self.early = False
        self.wind_up(open_before, value, event, failed=False)
        if self.early:
            value = self.altered(owing.early_end(value), event, "ended_on_harness_call", owing.EARLY)
        else:
            value = self.true_terminal(self.spelled(value, event, odd), event, run)
        self.send(value, known=True)

    def true_terminal(self, value: Dict, event: e.RunFinished, run: Run) -> Dict:
        """RUN_FINISHED with the ids its run was opened under, and a pending list that is true."""
        ids = {"threadId": self.client.thread, "runId": self.client.run}
        wrong = {key: known for key, known in ids.items() if known is not None and value.get(key) != known}
        if wrong:
            value = self.altered(
                {**value, **wrong}, event, "run_id_mismatch", f"it named another {', '.join(wrong)}"
            )
        if event.pending is not None and event.outcome == "success":
            pending = owing.pending(self.thread, run, event.pending, self.results)
            if pending != list(event.pending):
                fixed = {**value, "outcome": {"type": "success", "pendingToolCallIds": pending}}
                value = self.altered(
                    fixed, event, "wrong_pending_list", "the calls that wait are named, no others"
                )
        return value

    def run_failed(self, value: Dict, event: e.RunFailed, odd: set[str]) -> None:
        if self.client.state == FAILED:
            self.drop(event, "event_after_terminal", "the run has failed already")
            return
        open_before = self.open_calls()
        self.know(event)
        if self.client.state == RUNNING:
            self.wind_up(open_before, value, event, failed=True)
        self.send(self.spelled(value, event, odd), known=True)

    def cut(self, code: str) -> None:
        """The open run ends here without a terminal of its own."""
        if self.late:
            self.late = False
            ends = e.RunFinished(self.client.thread, self.client.run, "success")
            ends.seq, ends.at, ends.stream = self.moment
            value = {**(r.respell(ends, {}) or {}), "metadata": mark("event_after_terminal")}
            change = self.tell(
                "event_after_terminal", "filler_added", "the run for what came late ends", ends
            )
            self.run_finished(value, ends, set())
            change.dst = ((self.count - 1, 0),)
            return
        open_before = self.open_calls()
        failed = e.RunFailed(CUT_OFF, CUT_OFF_CODE)
        failed.seq, failed.at, failed.stream = self.moment
        self.know(failed)
        self.wind_up(open_before, {}, failed, failed=True)
        self.add(failed, {}, code, "the run never ended by itself", known=True)

    def spelled(self, value: Dict, event: e.Event, odd: set[str]) -> Dict:
        """A run's own event as the protocol has it."""
        if not odd:
            return value
        return self.altered(r.respell(event, value) or value, event, "invalid_event", ", ".join(sorted(odd)))

    # ------------------------------------------------------------ closing and answering

    def wind_up(self, open_before: list[Call], value: Dict, event: e.Event, *, failed: bool) -> None:
        """Closes text, reasoning and calls, answers what is ours to answer, closes steps and subagents."""
        client = self.client
        ends: list[e.Event] = [e.TextEnd(one) for one in client.texts if ("text", one) not in client.laned]
        ends += [
            e.ReasoningMessageEnd(one) for one in client.thoughts if ("thought", one) not in client.laned
        ]
        ends += [e.ReasoningEnd(one) for one in client.spans]
        for one in client.calls:
            spared = failed and one not in self.held and owing.others(self.thread.latest(one))
            if ("call", one) not in client.laned and not spared:
                ends.append(e.CallEnd(one))
        self.close(ends, value, event)
        for call in list(self.held):
            self.release(call)
        self.settle(open_before, value, event)
        ends = [e.StepFinished(name, agent) for name, agent in client.steps]
        for agent in client.agents:
            ends.append(e.SubagentFailed(agent, CUT_OFF) if failed else e.SubagentFinished(agent))
        self.close(ends, value, event)

    def close(self, ends: list[e.Event], value: Dict, event: e.Event) -> None:
        for one in ends:
            one.seq = event.seq
            call = one.id if isinstance(one, e.CallEnd) else None
            code = "unclosed_call" if call is not None else "unclosed_part"
            self.add(one, value, code, "it was still open when the run ended", call=call)

    def release(self, call: str) -> None:
        """Sends a result that had to wait for the end of its call."""
        value, event, odd = self.held.pop(call)
        if self.thread.latest(call) is None:
            self.drop(event, "orphan_result", "no start of its call is on record", lossy=True)
            return
        spelled = r.respell(event, value) if odd else value
        if spelled is None or (why := self.refused(spelled)):
            self.drop(event, "invalid_event", "it cannot be spelled" if spelled is None else str(why))
            return
        self.send(self.spelled(value, event, odd))

    def open_calls(self) -> list[Call]:
        return [self.thread.calls[number - 1] for number in self.thread.open_calls]

    def settle(self, open_before: list[Call], value: Dict, event: e.Event) -> None:
        """Answers the calls that nobody will answer any more and that are ours to answer."""
        if not open_before:
            return
        stranded = owing.stranded(self.thread, self.run(), self.results)
        for call in open_before:
            at_last = self.hindsight.calls.get((call.id, call.occurrence))
            if call.id not in self.results and owing.due(call, at_last, self.sources, event.seq):
                self.answer(call, (at_last or call).owner_reason, value, event)
        stranded += owing.stranded(self.thread, self.run(), self.results)
        for call in stranded:
            if call.id not in self.results:
                self.answer(call, call.owner_reason, value, event)
        self.early = bool(stranded)

    def answer(self, call: Call, owner: str, value: Dict, event: e.Event) -> None:
        """Sends the result a host captured, or one that says what is known."""
        known = self.captured.get(call.id)
        text = "" if known is not None else owing.text_for(call, self.thread)
        content = as_text(known.content) if known is not None else text
        result = e.CallResult(call.id, content, self.new_id(f"{call.id}-result"), agent=call.agent)
        result.seq = event.seq
        if known is not None:
            code, action, why = "result_recovered", "recovered", "a host captured it, and the stream lost it"
        else:
            code, action, why = "unanswered_call", "answered", f"nobody answered the call; {owner}"
        self.add(result, value, code, why, call=call.id, action=action, text=text)


def _call_ids(message: Json) -> list[str]:
    calls = message.get("toolCalls") if isinstance(message, dict) else None
    found = [call.get("id") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return [call for call in found if isinstance(call, str)]
