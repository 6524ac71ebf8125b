"""Runs of policies that are Python objects, in the same simulated worlds as the compiled ones."""

from heapq import heappop, heappush

import numpy as np

from .arrays import Field
from .events import DONE, HELD, ITEM, LINK, PAGE, fetch, finish, look, look_hub, own_links, settle
from .rules import Look, Policy, Seen


class Driver:
    """Stands between a policy and a world. Ids are the hubs, and then the nodes."""

    def __init__(self, policy: Policy, f: Field) -> None:
        self.policy = policy
        self.f = f
        self.ends: list[tuple[float, int]] = []
        self.busy = np.zeros(len(f.hubs))
        self.time = 0.0

    def run(self) -> None:
        """Run to the horizon."""
        self.policy.add([Seen(h, str(h), 1.0, h, False, 0.0) for h in range(len(self.busy))])
        stock = int((self.f.state.status == HELD).sum())
        self._seen(0, stock, -1)
        for i in range(stock):
            self._met(i, 0.0, 0.0, ())
        step, horizon = float(self.f.common.step), float(self.f.common.window[1])
        for tick in range(1, int(horizon / step) + 1):
            time = tick * step
            self._tell_ends(time)
            for _ in range(int(self.f.common.per_tick)):
                self.time = time
                chosen = self.policy.choose(time, self._free)
                if chosen is None:
                    break
                self._fetch(int(chosen), time)
        finish(self.f, horizon)

    def _free(self, host: str) -> bool:
        return bool(self.busy[int(host)] <= self.time)

    def _tell_ends(self, time: float) -> None:
        state = self.f.state
        while self.ends and self.ends[0][0] <= time:
            i = heappop(self.ends)[1]
            settle(self.f, i, time)
            state.status[i] = DONE
            gap = time - float(state.look[i])
            self.policy.learn(Look(len(self.busy) + i, time, gap, "page", ended=True))

    def _fetch(self, chosen: int, time: float) -> None:
        nodes, state, hubs, _, common = self.f
        i = chosen - len(hubs)
        status = state.status[i] if 0 <= i < len(state) else DONE
        if chosen < 0 or (i >= 0 and status not in (LINK, HELD)):
            raise ValueError(f"choose: {chosen}; return the id of a hub, a link or a held page")
        self.busy[chosen if i < 0 else nodes.host[i]] = time + float(common.delay)
        if i < 0:
            gap = time - float(hubs.look[chosen])
            first, last = look_hub(self.f, chosen, time)
            links = self._seen(first, last, chosen)
            self.policy.learn(Look(chosen, time, gap, "hub", links=links))
        elif status == HELD:
            gap, changed = time - float(state.look[i]), bool(look(self.f, i, time))
            modified = time - float(state.changed[i])
            self.policy.learn(Look(chosen, time, gap, "page", changed, modified))
        else:
            gap, outcome = time - float(state.born[i]), fetch(self.f, i, time)
            if outcome == PAGE:
                first, last = own_links(self.f, i, time)
                return self._met(i, time, gap, self._seen(first, last, -1))
            item, gone = outcome == ITEM, not nodes.fades[i] and time >= state.end[i]
            interest = float(nodes.value[i]) if item else 0.0
            self.policy.learn(
                Look(chosen, time, gap, "link", relevant=item, interest=interest, ended=gone)
            )

    def _met(self, i: int, time: float, gap: float, links: tuple[Seen, ...]) -> None:
        nodes, state = self.f.nodes, self.f.state
        heappush(self.ends, (float(state.end[i]), i))
        modified = time - float(state.changed[i])
        interest = float(nodes.value[i])
        met = Look(len(self.busy) + i, time, gap, "link", False, modified, True, interest, links)
        self.policy.learn(met)

    def _seen(self, first: int, last: int, hub: int) -> tuple[Seen, ...]:
        """Return the links of a range, as the policy sees them, after it has taken them in."""
        nodes = self.f.nodes
        columns = nodes.host, nodes.score, nodes.fades, self.f.state.born
        links = tuple(
            Seen(len(self.busy) + first + k, str(host), float(score), hub, bool(item), float(born))
            for k, (host, score, item, born) in enumerate(
                zip(*(column[first:last] for column in columns), strict=True)
            )
        )
        self.policy.add(links)
        return links
