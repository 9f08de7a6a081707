"""The demo's everyday conversations: what a healthy agent looks like, and what is legal although odd.

Written and kept like those of `broken.py`.
"""

from __future__ import annotations

from turnscope.demo.broken import DAY, MINUTE
from turnscope.demo.script import Script


def desk_replacement() -> Script:
    """Two healthy turns: reasoning, steps, three tools in parallel answered out of order."""
    s = Script("desk-lamp", DAY)
    s.user("Order K-20318 arrived with a cracked lamp. Can I get a new one before Friday?")
    s.start()
    s.step("look up")
    s.think(
        "The customer wants a replacement. I need the order, the stock and the delivery slots; "
        "none depends on another."
    )
    order = s.call("find_order", {"order": "K-20318"})
    stock = s.call("check_stock", {"sku": "LAMP-ARC-07", "warehouse": "north"})
    slots = s.call("delivery_slots", {"postcode_area": "31", "until": "friday"})
    s.result(stock, {"sku": "LAMP-ARC-07", "free": 12}, after=480)
    s.result(
        order, {"order": "K-20318", "items": 1, "sku": "LAMP-ARC-07", "delivered": "yesterday"}, after=830
    )
    s.result(slots, {"slots": ["wednesday morning", "thursday afternoon"]}, after=1_960)
    s.step_done("look up")
    s.step("replace")
    s.say(
        "We have the lamp in stock and can deliver on Wednesday morning or Thursday afternoon. "
        "I'll set one aside for you."
    )
    s.done("reserve_item", {"sku": "LAMP-ARC-07", "hours": 48}, {"reservation": "RV-5512"}, took=690)
    s.done(
        "create_shipping_label", {"reservation": "RV-5512", "service": "morning"},
        {"label": "LB-90231", "format": "pdf"}, took=4_350,
    )  # fmt: skip
    s.step_done("replace")
    s.next_step()
    s.say(
        "Done: a new lamp is reserved and its label is printed. It arrives on Wednesday morning, "
        "and the courier takes the broken one along."
    )
    s.finish()
    s.wait(2 * MINUTE)
    s.user("Perfect. Can you send me the label as well?")
    s.start()
    s.done("send_message", {"template": "return-label", "label": "LB-90231"}, {"sent": True}, took=1_080)
    s.say("Sent. The label is in your inbox.")
    s.finish()
    return s


def billing_approval() -> Script:
    """One refund approved and paid, a second one waiting for a person: nothing is wrong with either."""
    s = Script("billing-refunds", DAY + 33 * MINUTE)
    s.user("Refund the double charge on invoice 2026-1187.")
    s.start()
    s.done("find_charges", {"invoice": "2026-1187"}, {"charges": 2, "amount": "49.90 EUR"}, took=1_150)
    s.say("Invoice 2026-1187 was charged twice. A refund of 49.90 EUR needs your approval.")
    refund = s.call("issue_refund", {"invoice": "2026-1187", "amount": "49.90", "currency": "EUR"})
    s.finish(interrupts=[{"id": "int_refund_1", "reason": "tool_approval", "toolCallId": refund}])
    s.wait(11_400)
    s.start(resume=[{"interruptId": "int_refund_1", "status": "resolved", "payload": {"approved": True}}])
    s.result(refund, {"refund": "RF-3310", "state": "booked"}, after=2_260)
    s.say("The refund is booked; the customer has it within two days.")
    s.finish()
    s.wait(5 * MINUTE)
    s.user("The same for invoice 2026-1204, please.")
    s.start()
    s.done("find_charges", {"invoice": "2026-1204"}, {"charges": 3, "amount": "310.00 EUR"}, took=960)
    s.say("Invoice 2026-1204 was charged three times. Refunding two of them is 620.00 EUR.")
    second = s.call("issue_refund", {"invoice": "2026-1204", "amount": "620.00", "currency": "EUR"})
    s.finish(interrupts=[{"id": "int_refund_2", "reason": "tool_approval", "toolCallId": second}])
    return s


def warehouse_batch() -> Script:
    """Five tools at once, one of them fails; the model says so and goes on. Nothing hangs."""
    s = Script("warehouse-count", DAY + 57 * MINUTE)
    s.user("Count the pallets in all five aisles and compare them with the books.")
    s.start()
    s.say("I'll ask the five aisle cameras at the same time.")
    aisles = [
        s.call("count_pallets", {"aisle": aisle, "camera": f"cam-{aisle.lower()}"}) for aisle in "ABCDE"
    ]
    answers = ((2, 41, 900), (0, 38, 640), (4, 29, 1_480), (1, 44, 2_050))
    for index, pallets, took in answers:
        s.result(aisles[index], {"aisle": "ABCDE"[index], "pallets": pallets}, after=took)
    s.result(
        aisles[3],
        {"error": "timeout", "message": "cam-d did not answer within 10 s"},
        after=5_320,
        error="timeout",
    )
    s.next_step()
    s.done("read_books", {"area": "aisles"}, {"A": 38, "B": 44, "C": 41, "D": 36, "E": 31}, took=780)
    s.say(
        "Aisles A, B and C agree with the books. E is two pallets short. "
        "Camera D did not answer, so aisle D is not counted."
    )
    s.snapshot()
    s.finish()
    return s


def translator_chunks() -> Script:
    """An adapter that sends chunks only: no START or END on the wire, and still a healthy turn."""
    s = Script("translator-manual", DAY + 83 * MINUTE)
    s.user("Translate the safety page of the lift manual into Italian and keep our terms.")
    s.start()
    for index, piece in enumerate(("I'll look up ", "our terms ", "first.")):
        first = {"messageId": "msg_terms", "role": "assistant"} if index == 0 else {}
        s.emit("TEXT_MESSAGE_CHUNK", 90, **first, delta=piece)
    s.emit(
        "TOOL_CALL_CHUNK", 240, toolCallId="call_terms", toolCallName="lookup_terms",
        parentMessageId="msg_terms", delta='{"glossary": "lifts", ',
    )  # fmt: skip
    s.emit("TOOL_CALL_CHUNK", 70, toolCallId="call_terms", delta='"language": "it"}')
    s.emit(
        "TOOL_CALL_RESULT", 1_720, messageId="tool_terms", toolCallId="call_terms",
        content='{"terms": {"car": "cabina", "shaft": "vano", "landing": "piano"}}', role="tool",
    )  # fmt: skip
    for index, piece in enumerate(
        ("Non entrare ", "nel vano ", "finché la cabina ", "non è ferma ", "al piano.")
    ):
        first = {"messageId": "msg_page", "role": "assistant"} if index == 0 else {}
        s.emit("TEXT_MESSAGE_CHUNK", 110, **first, delta=piece)
    s.finish()
    return s
