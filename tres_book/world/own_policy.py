"""Runs of policies that are Python objects, in the same simulated worlds as the compiled ones."""

from heapq import heappop, heappush

import numpy as np

from tres_lib.watching.rules import Look, Policy, Seen

from .events import DONE, HELD, LINK, fetch, finish, look, look_hub, own_links, settle


class Driver:
    """Stands between a policy and a world: its nodes, their state, hubs and settings.

    Ids are the hubs, and then the nodes.
    """

    def __init__(self, policy: Policy, *world: np.recarray) -> None:
        self.policy = policy
        self.world = world
        self.ends: list[tuple[float, int]] = []
        self.busy = np.zeros(len(world[2]))
        self.time = 0.0

    def run(self) -> None:
        """Run to the horizon."""
        nodes, state, hubs, m = self.world
        settings = m[0]
        self.policy.add([Seen(h, str(h), 1.0, h, False, 0.0) for h in range(len(hubs))])
        stock = int((state.status == HELD).sum())
        self._seen(0, stock, -1)
        for i in range(stock):
            self._met(i, 0.0, 0.0, ())
        for tick in range(1, int(settings.horizon / settings.step) + 1):
            time = tick * float(settings.step)
            self._tell_ends(time)
            for _ in range(int(settings.per_tick)):
                self.time = time
                chosen = self.policy.choose(time, self._free)
                if chosen is None:
                    break
                self._fetch(int(chosen), time)
        finish(nodes, state, m, float(settings.horizon))

    def _free(self, host: str) -> bool:
        return bool(self.busy[int(host)] <= self.time)

    def _tell_ends(self, time: float) -> None:
        nodes, state, hubs, m = self.world
        while self.ends and self.ends[0][0] <= time:
            i = heappop(self.ends)[1]
            settle(nodes, state, m, i, time)
            state.status[i] = DONE
            gap = time - float(state.look[i])
            self.policy.learn(Look(len(hubs) + i, time, gap, "page", ended=True))

    def _fetch(self, chosen: int, time: float) -> None:
        nodes, state, hubs, m = self.world
        i = chosen - len(hubs)
        status = state.status[i] if 0 <= i < len(state) else DONE
        if chosen < 0 or (i >= 0 and status not in (LINK, HELD)):
            raise ValueError(f"choose: {chosen}; return the id of a hub, a link or a held page")
        self.busy[chosen if i < 0 else nodes.host[i]] = time + float(m[0].delay)
        if i < 0:
            gap = time - float(hubs.look[chosen])
            first, last = look_hub(state, hubs, m, chosen, time)
            links = self._seen(first, last, chosen)
            self.policy.learn(Look(chosen, time, gap, "hub", links=links))
        elif status == HELD:
            gap = time - float(state.look[i])
            changed = look(nodes, state, m, i, time)
            modified = time - float(state.changed[i])
            self.policy.learn(Look(chosen, time, gap, "page", bool(changed), modified))
        else:
            self._fetch_link(i, chosen, time)

    def _fetch_link(self, i: int, chosen: int, time: float) -> None:
        nodes, state, hubs, m = self.world
        gap = time - float(state.born[i])
        outcome = fetch(nodes, state, hubs, m, i, time)
        if outcome == 2:
            first, last = own_links(nodes, state, i, time)
            self._met(i, time, gap, self._seen(first, last, -1))
            return
        interest = float(nodes.value[i]) if outcome else 0.0
        gone = not nodes.fades[i] and time >= state.end[i]
        self.policy.learn(
            Look(chosen, time, gap, "link", relevant=outcome == 1, interest=interest, ended=gone)
        )

    def _met(self, i: int, time: float, gap: float, links: tuple[Seen, ...]) -> None:
        nodes, state, hubs, _ = self.world
        heappush(self.ends, (float(state.end[i]), i))
        modified = time - float(state.changed[i])
        interest = float(nodes.value[i])
        met = Look(len(hubs) + i, time, gap, "link", False, modified, True, interest, links)
        self.policy.learn(met)

    def _seen(self, first: int, last: int, hub: int) -> tuple[Seen, ...]:
        """Return the links of a range, as the policy sees them, after it has taken them in."""
        nodes, state, hubs, _ = self.world
        columns = nodes.host, nodes.score, nodes.fades, state.born
        links = tuple(
            Seen(len(hubs) + first + k, str(host), float(score), hub, bool(item), float(born))
            for k, (host, score, item, born) in enumerate(
                zip(*(column[first:last] for column in columns), strict=True)
            )
        )
        self.policy.add(links)
        return links
