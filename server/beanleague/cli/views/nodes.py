"""The nodes that play a league, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from beanleague.cli.views.tables import FittedTable, TableColumn
from beanleague.cli.views.text import counted
from beanproto.v1.league_pb2 import NodeProgress, NodeTotals, Progress


def nodes_line(nodes: Sequence[NodeProgress]) -> list[str]:
    """Return how many nodes and workers play, nothing if none do or there is no cluster."""
    there, workers = sum(node.workers > 0 for node in nodes), sum(node.workers for node in nodes)
    return [f"{counted(there, 'node')} with {counted(workers, 'worker')}"] if there else []


def waits(progress: Progress) -> bool:
    """Return whether a run waits for nodes."""
    return bool(progress.remarks) and not any(node.workers for node in progress.nodes)


def playing_table(nodes: Sequence[NodeProgress]) -> FittedTable[NodeProgress]:
    """Return a table of what nodes do in a run."""
    return FittedTable(
        [
            TableColumn("node", lambda each: each.node.name),
            TableColumn("workers", lambda each: f"{each.workers:,}" if each.workers else "gone", right=True),
            TableColumn("deals/s", lambda each: f"{each.deals_per_second:,.1f}", right=True),
            TableColumn("deals", lambda each: f"{each.deals:,}", right=True),
            TableColumn("CPU", lambda each: each.node.cpu, lesser=1),
        ],
        nodes,
    )


def nodes_table(nodes: Sequence[NodeTotals]) -> FittedTable[NodeTotals]:
    """Return a table of what nodes did in a league."""
    return FittedTable(
        [
            TableColumn("node", lambda totals: totals.node.name),
            TableColumn("CPU", lambda totals: totals.node.cpu, lesser=2),
            TableColumn("Beanleague", lambda totals: totals.node.beanleague, lesser=3),
            TableColumn("Python", lambda totals: totals.node.python, lesser=4),
            TableColumn("deals", lambda totals: f"{totals.deals:,}", right=True),
            TableColumn("faults", lambda totals: f"{totals.faults:,}", right=True),
            TableColumn("late", lambda totals: f"{totals.timeouts:,}", right=True, lesser=1),
            TableColumn("again", lambda totals: f"{totals.voids:,}", right=True),
        ],
        nodes,
    )
