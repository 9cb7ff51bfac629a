"""Timing by turns: every case once, then every case again, so that a busy moment hits all alike."""

import resource
import time
from dataclasses import dataclass, field
from statistics import median


def cpu_seconds():
    """CPU time of this process, all threads."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


@dataclass
class Times:
    """The repeats of one case."""

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def add(self, work):
        """Time one call of `work` and return its result."""
        cpu, wall = cpu_seconds(), time.perf_counter()
        result = work()
        self.cpu.append(cpu_seconds() - cpu)
        self.wall.append(time.perf_counter() - wall)
        return result

    @property
    def least(self):
        """The least CPU and wall seconds."""
        return {"cpu": min(self.cpu), "wall": min(self.wall)}

    def record(self):
        """Return the repeats and their summary as plain data."""
        return {
            clock: {"min": min(t), "median": median(t), "all": t}
            for clock, t in (("cpu", self.cpu), ("wall", self.wall))
        }


def by_turns(cases, repeats, patience):
    """Call each of `cases` (name: function of the repeat) up to `repeats` times, taking turns.

    A case that has used `patience` wall seconds is not called again: long runs are steady.
    """
    used = dict.fromkeys(cases, 0.0)
    for repeat in range(repeats):
        for name, work in cases.items():
            if repeat and used[name] > patience:
                continue
            start = time.perf_counter()
            work(repeat)
            used[name] += time.perf_counter() - start
