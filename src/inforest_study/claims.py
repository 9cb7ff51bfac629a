"""`Claims`: which runner works on which job, so that two runners never do the same one.

A claim is a file named after its job, made with `link`, which fails if the file exists and works
on shared file systems too. It says which runner made it, and carries a name of its own (`token`).

A dead runner's claim is not removed: two runners that both saw it dead could then remove each
other's. It is followed instead: the file `after-<token>` claims what that claim had claimed, and
only one runner can make it. The owner is the last of such a chain. A chain is removed from its
beginning, so whoever still follows a chain that was removed finds its beginning gone, and gives up.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote
from uuid import uuid4

from inforest_study.runner import Owner, Runner


@dataclass(frozen=True)
class Claim:
    """What a claim's file says."""

    runner: str
    token: str
    key: str


class Claims:
    """The claims on a store's jobs.

    Parameters
    ----------
    root : Path
        The store's folder.
    runner : Runner
        Who claims.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from inforest_study.claims import Claims
    >>> from inforest_study.runner import Runner
    >>> root = Path(mkdtemp())
    >>> with Runner(root) as one, Runner(root) as two:
    ...     Claims(root, one).take("wine/CIF/mc/seed0/fold3")
    ...     Claims(root, two).take("wine/CIF/mc/seed0/fold3")
    True
    False

    """

    def __init__(self, root: Path, runner: Runner) -> None:
        self._folder = root / "claims"
        self._runner = runner
        self._chains: dict[str, list[Path]] = {}

    def take(self, key: str) -> bool:
        """Claim a job; False if a living runner has it.

        Whoever gets a claim must look for a result again: the former owner may just have left one.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        claim = Claim(self._runner.name, uuid4().hex, key)
        draft = self._runner.workspace / claim.token
        with draft.open("w", encoding="utf-8") as file:
            json.dump(claim.__dict__, file)
            file.flush()
            os.fsync(file.fileno())  # a name on the disk without content would be nobody's claim
        try:
            return self._follow(key, draft)
        finally:
            draft.unlink()

    def _follow(self, key: str, draft: Path) -> bool:
        chain = [self._folder / quote(key, safe=" @+")]
        first: Claim | None = None
        while True:
            try:
                os.link(draft, chain[-1])
            except FileExistsError:
                claim = self._read(chain[-1])
                if claim is None or self._runner.lives(claim.runner):
                    return False
                first = first or claim
                chain.append(self._folder / f"after-{claim.token}")
                continue
            if first is not None and self._read(chain[0]) != first:
                chain[-1].unlink(missing_ok=True)  # the chain was removed meanwhile
                return False
            self._chains[key] = chain
            return True

    def release(self, key: str) -> None:
        """Give a job back, after its result was stored or because it will not be done."""
        for path in self._chains.pop(key):
            path.unlink(missing_ok=True)

    def release_all(self) -> None:
        """Give back whatever is still claimed."""
        for key in list(self._chains):
            self.release(key)

    def clear_dead(self) -> None:
        """Remove what dead runners left: one killed between its result and the claim's release.

        A claim is taken over and given back, so that nobody else's is touched.
        """
        for path in self._files():
            claim = self._read(path)
            if claim is None or self._runner.lives(claim.runner):
                continue
            if self.take(claim.key):
                if path not in self._chains[claim.key]:
                    path.unlink(missing_ok=True)  # its chain lost its beginning in a `release`
                self.release(claim.key)

    def _files(self) -> list[Path]:
        return sorted(self._folder.iterdir()) if self._folder.is_dir() else []

    def _read(self, path: Path) -> Claim | None:
        """Return what a claim says; None if it is gone."""
        try:
            return Claim(**json.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError):  # a crash of the machine can leave a file without content
            return Claim("", f"unreadable-{path.name}", unquote(path.name))

    def held_by_others(self) -> Iterator[tuple[str, Owner]]:
        """Yield the jobs that other living runners are working on."""
        for path in self._files():
            claim = self._read(path)
            if claim is None or claim.runner == self._runner.name:
                continue
            owner = self._runner.owner(claim.runner)
            if owner is not None and self._runner.lives(claim.runner):
                yield claim.key, owner
