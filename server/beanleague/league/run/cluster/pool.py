"""Pool that plays deals on the nodes of a cluster."""

import queue
import secrets
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from beanleague.league.bots.bundles import digest, write_zip
from beanleague.league.bots.reading import read_folder
from beanleague.league.errors import RunError
from beanleague.league.run.cluster import orders
from beanleague.league.run.cluster.answers import WrongAnswerError, results_of
from beanleague.league.run.cluster.link import Came, Gone, Link, Message, NodeAnswered
from beanleague.league.run.cluster.members import Member, order_interval_s, share_out
from beanleague.league.run.cluster.settings import ClusterSettings
from beanleague.model import Node, PlayedDeal
from beanleague.referee.messages import BotLog, BotSpec, DealReport, DealTask, Limits, PoolSettings, VoidDeal

_CLOSE_TIMEOUT_S = 3.0  # time for nodes to end their bots and send their last logs
_REST_S = 30.0  # pause before a failing node is tried again
_MAX_REMARKS = 5  # maximum remarks about unused nodes
_MAX_MEMBERS = 10_000
_SECRET_BYTES = 16
_MAX_JOINING = 16  # nodes that join at the same time; hundreds would keep Dask's scheduler from reading our messages
_JOIN_TIMEOUT_S = 10.0  # seconds after which the other nodes no longer wait for a joining one


class ClusterPools:
    """Factory of pools that play deals on the nodes of a cluster."""

    def __init__(self, settings: ClusterSettings) -> None:
        self._settings = settings

    def __call__(self, bots: Sequence[BotSpec], limits: Limits, **settings: Unpack[PoolSettings]) -> "ClusterPool":
        """Start a pool. The nodes choose their number of workers themselves.

        Raises:
            RunError: if the scheduler cannot be reached.
        """
        return ClusterPool(Link(self._settings), self._settings.address, bots, limits, settings)


class ClusterPool:
    """Pool that plays deals on the nodes of `link`. Not thread-safe. `address`: address of the scheduler.

    Every deal is played on one node. A deal on a lost node is returned as void.
    """

    def __init__(
        self,
        link: Link,
        address: str,
        bots: Sequence[BotSpec],
        limits: Limits,
        settings: PoolSettings,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._link = link
        self._address = address
        self._clock = clock
        self._isolate = settings.get("isolate", False)
        self._cpu = settings.pop("cpu", None)
        self._cpu_is_open = self._cpu == ""  # whether the first deal still decides the CPU model
        self._bots = {bot.number for bot in bots}
        digests = {bot.number: digest(read_folder(Path(bot.folder))) for bot in bots}
        self._folders = {digests[bot.number]: Path(bot.folder) for bot in bots}
        ordered = tuple(  # a bot's packages are in a folder named by their digest
            orders.RunBot(bot.number, bot.name, digests[bot.number], bot.command, bot.trusted, Path(bot.packages).name)
            for bot in bots
        )
        self._join = orders.Join(ordered, limits, settings)
        self._queue: deque[DealTask] = deque()
        self._members: dict[str, Member] = {}  # members by address
        self._uninvited: deque[str] = deque()  # addresses of nodes still to be asked to join
        self._joining: dict[str, float] = {}  # times at which nodes were asked to join, by address
        self._ready: dict[str, Member] = {}  # nodes that should get more deals
        self._targets: Counter[str] = Counter()  # amounts wanted at nodes, by address
        self._target = 0  # sum of `_targets`
        self._resting: deque[tuple[float, Member]] = deque()  # failing nodes, each with the end of its pause
        self._refused: dict[str, str] = {}  # reason for not using a node, by address
        self._wrong: dict[str, None] = {}  # ordered set of descriptions of wrong answers
        self._unfinished = 0
        self._partial = 0  # finished matches of unfinished deals
        self.nodes: Counter[Node] = Counter()
        self.remarks: tuple[str, ...] = ()
        self._remark()

    @property
    def capacity(self) -> int:
        """Number of matches that the nodes can play at once, or a larger number if this saves messages."""
        return self._target if self._isolate else self._target // 2

    @property
    def unfinished(self) -> int:
        """Number of unfinished matches of the pool's deals."""
        return self._unfinished - self._partial

    def admit(self, bots: Sequence[BotSpec]) -> bool:
        """Return False: nodes learn the bots when they join, so none can be added."""
        del bots
        return False

    def submit(self, task: DealTask) -> None:
        self._unfinished += len(task.matches)
        self._queue.append(task)

    def poll(self, timeout: float) -> list[DealReport]:
        """Wait up to `timeout` seconds for reports and return them.

        Raises:
            RunError: if the connection to the scheduler is lost.
        """
        if not self._link.alive:
            raise RunError(
                f"the connection to the scheduler {self._address} was lost. Deals played before are kept; run the "
                "league again to continue"
            )
        self._hand_out()
        reports: list[DealReport] = []
        try:
            self._handle(self._link.inbox.get(timeout=timeout), reports)
            while not self._link.inbox.empty():
                self._handle(self._link.inbox.get(), reports)
        except queue.Empty:
            pass
        return reports

    def close(self) -> list[BotLog]:
        """End the bots on all nodes; return their last logs."""
        reports: list[DealReport] = []
        leaving = {address for address, member in self._members.items() if member.played}
        if self._link.alive:
            for address in leaving:
                self._link.send(address, self._members[address].secret, orders.Leave())
        deadline = self._clock() + _CLOSE_TIMEOUT_S
        while leaving and (message := self._next_message(deadline)):
            if _has_left(message):
                leaving.discard(message.address)
            self._handle(message, reports)
        self._link.close()
        return [report for report in reports if isinstance(report, BotLog)]

    def _next_message(self, deadline: float) -> Message | None:
        """Wait for a message until `deadline`; return None if there is none, or if the connection is lost."""
        left = deadline - self._clock()
        if not self._link.alive or left <= 0:
            return None
        try:
            return self._link.inbox.get(timeout=left)
        except queue.Empty:
            return None

    def _hand_out(self) -> None:
        """Send new deals to nodes."""
        now = self._clock()
        while self._resting and self._resting[0][0] <= now:
            member = self._resting.popleft()[1]
            if self._members.get(member.address) is member and member.rests:
                self._use(member)
        self._invite(now)
        if not (self._queue and self._ready):
            return
        interval_s = order_interval_s(len(self._members))
        given = share_out(self._queue, tuple(self._ready.values()), len(self._joining), interval_s)
        for address, tasks in given.items():
            member = self._ready.pop(address)
            for task in tasks:
                member.give(task)
            self._link.send(address, member.secret, orders.Play(tuple(tasks), interval_s / 4))
            self._look(member)

    def _invite(self, now: float) -> None:
        """Ask nodes to join, a few at a time."""
        if self._joining:
            self._joining = {node: since for node, since in self._joining.items() if now - since < _JOIN_TIMEOUT_S}
        while self._uninvited and len(self._joining) < _MAX_JOINING:
            address = self._uninvited.popleft()
            if address in self._members:
                self._joining[address] = now
                self._ask(self._members[address], self._join)

    def _look(self, member: Member) -> None:
        """Update a node's target, and whether it should get deals now."""
        if member.address in self._refused:
            return  # late report of earlier deals
        interval_s = order_interval_s(len(self._members))
        target = member.target(interval_s)
        self._target += target - self._targets[member.address]
        self._targets[member.address] = target
        if member.workers and member.room(interval_s) > 0:
            self._ready.setdefault(member.address, member)

    def _handle(self, message: Message, reports: list[DealReport]) -> None:
        address = message.address
        if isinstance(message, Came):
            if address not in self._members and len(self._members) < _MAX_MEMBERS:
                self._members[address] = Member(address, self._isolate, secrets.token_bytes(_SECRET_BYTES))
                self._uninvited.append(address)
                self._remark()
            return
        member = self._members.get(address)
        if member is None:
            return
        if isinstance(message, Gone):
            self._not_used(member)
            del self._members[address]
            self._joining.pop(address, None)
            self._refused.pop(address, None)
            self._link.forget(address)
            self._lose(member, "the node was lost", reports, lost=True)
            self._remark()
            self._take_another_cpu()
        elif not secrets.compare_digest(message.secret, member.secret):
            self._note("an answer sent in the name of a node was forged and ignored")
        elif not member.wrong:
            try:
                self._answered(member, message.answer, reports)
            except WrongAnswerError as wrong:
                self._drop(member, wrong)

    def _drop(self, member: Member, wrong: WrongAnswerError) -> None:
        """Stop using a node that sent an impossible answer."""
        member.wrong = True
        name = member.node.name if member.node else member.address
        self._note(f"node {name} is no longer used: it answered {wrong}; other nodes play its deals")
        self._refuse(member, f"node {name} is not used: it answered {wrong}")

    def _note(self, sentence: str) -> None:
        if sentence not in self._wrong and len(self._wrong) < _MAX_REMARKS:
            self._wrong[sentence] = None
            self._remark()

    def _ask(self, member: Member, order: orders.Join) -> None:
        member.asked = True
        self._link.send(member.address, member.secret, order)

    def _answered(self, member: Member, answer: orders.Answer | WrongAnswerError, reports: list[DealReport]) -> None:
        if isinstance(answer, WrongAnswerError):
            raise answer
        if isinstance(answer, orders.Lacking | orders.NodeJoined):
            self._go_on_joining(member, answer)
        elif isinstance(answer, orders.Reports):
            self._take(member, answer, reports)
        elif isinstance(answer, orders.Broken):
            self._lose(member, answer.why, reports, lost=False)
            self._look(member)
            self._rest(member, answer.why)
        elif isinstance(answer, orders.NodeRefused):
            self._refuse(member, f"node {answer.name or member.address} is not used: {answer.why}")
            if answer.passing and member.node:
                self._resume_later(member)

    def _go_on_joining(self, member: Member, answer: orders.Lacking | orders.NodeJoined) -> None:
        """Use a node that has joined; send missing bundles to one that asks, at most once."""
        if not member.asked:
            raise WrongAnswerError("a question that was not asked")
        member.asked = False
        if isinstance(answer, orders.NodeJoined):
            self._joining.pop(member.address, None)
            self._joined(member, answer)
            return
        if member.lacked or not self._folders.keys() >= set(answer.digests):
            raise WrongAnswerError("that it lacks a bundle that it has received or that no bot has")
        member.lacked = True
        data = {name: write_zip(read_folder(Path(self._folders[name]))) for name in answer.digests}
        self._ask(member, replace(self._join, bundles=data))

    def _rest(self, member: Member, why: str) -> None:
        """Pause a node if there are others, since it might otherwise void a deal until the run fails."""
        if member.node and member.address not in self._refused and len(self.nodes) > 1:
            self._not_used(member)
            self._refused[member.address] = f"node {member.node.name} is not used for {_REST_S:.0f} s: {why}"
            self._resume_later(member)
            self._remark()

    def _resume_later(self, member: Member) -> None:
        member.rests = True
        self._resting.append((self._clock() + _REST_S, member))

    def _refuse(self, member: Member, why: str) -> None:
        """Stop using a node, and give its deals to other nodes."""
        member.rests = False
        self._joining.pop(member.address, None)
        self._not_used(member)
        self._refused[member.address] = why
        self._partial -= member.partial
        self._queue.extendleft(reversed(member.drop()))
        self._remark()

    def _joined(self, member: Member, answer: orders.NodeJoined) -> None:
        member.node, member.workers, member.at_once = answer.node, answer.workers, answer.at_once
        if self._cpu == "":
            self._cpu = answer.node.cpu
        if self._cpu is not None and answer.node.cpu != self._cpu:
            self._refused[member.address] = (
                f"node {answer.node.name} is not used: its CPU is {answer.node.cpu}, but this league is played "
                f"only on {self._cpu}"
            )
            self._remark()
        else:
            self._use(member)

    def _take_another_cpu(self) -> None:
        """Choose another CPU model if all nodes of the chosen one left before the first deal."""
        if self._cpu and self._cpu_is_open and not self.nodes:
            self._cpu = ""
            for member in self._members.values():
                if member.node and member.address in self._refused and not member.wrong:
                    self._joined(member, orders.NodeJoined(member.node, member.workers, member.at_once))

    def _use(self, member: Member) -> None:
        assert member.node is not None
        member.rests = False
        self._refused.pop(member.address, None)
        self.nodes[member.node] += member.workers
        self._look(member)
        self._remark()

    def _not_used(self, member: Member) -> None:
        """Give a node no more deals."""
        self._ready.pop(member.address, None)
        if self._targets[member.address] and member.node:
            self.nodes[member.node] -= member.workers
            self.nodes += Counter()  # removes nodes without workers
        self._target -= self._targets.pop(member.address, 0)

    def _take(self, member: Member, answer: orders.Reports, reports: list[DealReport]) -> None:
        """Accept results, all or none.

        Raises:
            WrongAnswerError: if one of them is impossible.
        """
        results = results_of(answer, member.deals, member.node, self._bots)
        left = sum(len(task.matches) for number, task in member.deals.items() if number not in results.deals)
        reports += results.logs
        if answer.counts:
            reports.append(answer.counts)
        self._partial -= member.partial
        for task in member.take(results.deals, min(answer.partial, left), self._clock()):
            result = results.deals[task.number]
            self._cpu_is_open = self._cpu_is_open and isinstance(result, VoidDeal)
            self._unfinished -= len(task.matches)
            if isinstance(result, PlayedDeal):
                reports += result.matches
            reports.append(result)
        self._partial += member.partial
        self._look(member)
        if results.failed:
            self._rest(member, results.failed.why)

    def _lose(self, member: Member, why: str, reports: list[DealReport], *, lost: bool) -> None:
        """Report all deals of a node as void."""
        self._partial -= member.partial
        for task in member.drop():
            self._unfinished -= len(task.matches)
            reports.append(VoidDeal(task.number, why, host=not lost, node=member.node, lost=lost))

    def _remark(self) -> None:
        remarks: list[str] = []
        if not self._members:
            remarks.append(f"no node is connected to {self._address}: the run waits. Start one with 'beanleague node'")
        elif len(self._refused) == len(self._members):
            remarks.append("no node can be used: the run waits")
        remarks += self._wrong
        reasons = list(dict.fromkeys(why for node, why in self._refused.items() if not self._members[node].wrong))
        remarks += reasons[:_MAX_REMARKS]
        if len(reasons) > _MAX_REMARKS:
            remarks.append(f"{len(reasons) - _MAX_REMARKS} more nodes are not used")
        self.remarks = tuple(remarks)


def _has_left(message: Message) -> bool:
    """Return whether a message means that a node has ended its bots, or has left."""
    return isinstance(message, Gone) or (isinstance(message, NodeAnswered) and isinstance(message.answer, orders.Left))
