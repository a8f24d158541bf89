"""The faults that were survived, counted; figures beside their targets."""

from collections import Counter
from dataclasses import dataclass, field
from statistics import median

import checks


@dataclass
class Counts:
    messages: int = 0
    bytes: int = 0
    signals: int = 0
    rescues: int = 0
    restarts: int = 0
    purges: int = 0
    memory: int = 0
    faults: Counter = field(default_factory=Counter)
    asleep: list = field(default_factory=list)
    not_permitted: set = field(default_factory=set)
    wakes_of: Counter = field(default_factory=Counter)
    last_wakes: dict = field(default_factory=dict)

    def count_wakes(self, name, wakes):
        """The daemon counts anew when it is started anew."""
        last = self.last_wakes.get(name, 0)
        self.wakes_of[name] += wakes - last if wakes >= last else wakes
        self.last_wakes[name] = wakes


def verdict(figure, target):
    return "reached" if figure < target else "NOT REACHED"


def row(label, text):
    return f"{label:<32} {text}"


def figures(label, values, target=None):
    """The median and the worst of some figures, in seconds, beside the target of the worst."""
    if not values:
        return row(label, "not measured")
    worst = max(values)
    text = f"median {median(values) * 1e3:.1f} ms, max {worst * 1e3:.1f} ms ({len(values)})"
    if target:
        text += f"   target < {target * 1e3:.0f} ms: {verdict(worst, target)}"
    return row(label, text)


def turns(turn):
    """The findings of the probe."""
    if not turn:
        return row("longest turn of the loop", "not measured")
    return row("longest turn of the loop",
               f"{turn['longest'] / 1e3:.1f} ms (as seen from outside, waits for a processor included, "
               f"{turn['raw'] / 1e3:.1f} ms; {turn['samples']})   target < 20 ms: "
               f"{verdict(turn['longest'], 20000)}")


def seconds(strikes):
    """Only those count that found somebody asleep."""
    return [each.seconds for each in strikes if each.frozen]


def lines(soak, minutes):
    counts, kinds = soak.counts, soak.kinds
    kills = sum(count for name, count in counts.faults.items() if kinds[name].kills)
    asleep, memory = counts.asleep or [0], counts.memory / (1 << 20)
    yield (f"soak: {minutes:.1f} minutes, seed {soak.seed}: {kills} kills and stops "
           f"({counts.signals} signals) and {sum(counts.faults.values()) - kills} other faults, nothing lost")
    for name in kinds:
        skipped = "   (not permitted here)" if name in counts.not_permitted else ""
        yield f"  {name:<24} {counts.faults[name]:6}{skipped}"
    yield row("programs", f"{len(soak.programs)}; asleep when a fault came: median {median(asleep):.0f}, "
                          f"max {max(asleep)}")
    yield row("traffic", f"{counts.bytes} bytes in {counts.messages} messages, each answered; no connection "
                         f"broken")
    wakes = {each.name: counts.wakes_of[each.name] for each in soak.programs if each.adopted}
    yield row("wakes that `status` counted", f"{counts.wakes_of.total()}, at least; of what was adopted: "
                                             f"{', '.join(f'{name[8:]} {wakes[name]}' for name in wakes)}")
    yield row("programs started again", f"{counts.restarts}, where nobody was left that knew them")
    yield row("purged for want of memory", f"{counts.purges}, by lulld itself, and started again by the soak")
    yield row("freed by the next `lull` only", f"{counts.rescues}")
    yield turns(soak.turn)
    for microseconds, name, place in sorted(soak.probe.long, reverse=True)[:3]:
        yield row("", f"{microseconds / 1e3:.1f} ms at {name}, its threads in: {place}")
    yield figures("death of lulld -> all run", seconds(soak.deaths), 0.05)
    yield figures("no guard either -> all run", seconds(soak.lone_deaths))
    yield figures("hang of lulld -> over", seconds(soak.hangs), 6)
    yield figures("fault over -> state right", soak.settled, checks.RIGHT)
    yield row("memory of lulld", f"{memory:.1f} MiB at most   target < 64 MiB: {verdict(memory, 64)}")
