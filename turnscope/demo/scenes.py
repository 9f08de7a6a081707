"""Which conversations the demo has: the name of each stream and who wrote it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from turnscope.demo import broken, everyday
from turnscope.demo.script import Script

STREAMS = Path(__file__).parent / "streams"
"""Where they are kept as JSON lines: committed, so that any command can be tried on them."""

SCENES: dict[str, Callable[[], Script]] = {
    "desk-healthy": everyday.desk_replacement,
    "fleet-dropped-result": broken.fleet_dropped_result,
    "mail-28-started-26-answered": broken.mail_ended_early,
    "billing-approval-pending": everyday.billing_approval,
    "notes-server-gone": broken.notes_server_gone,
    "warehouse-batch-one-failed": everyday.warehouse_batch,
    "dashboard-torn-tab": broken.dashboard_torn_tab,
    "translator-chunks": everyday.translator_chunks,
    "dashboard-late-result": broken.dashboard_late_result,
    "report-run-error": broken.report_run_error,
}
"""File name without ending -> who writes it, in the order of their mornings."""
