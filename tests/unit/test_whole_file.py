"""Files that are complete or not there, and never somebody else's."""

import os
import stat
import sys
from pathlib import Path

import pytest

from inforest._engine.whole_file import whole_file, write_whole

posix = pytest.mark.skipif(sys.platform == "win32", reason="counts on POSIX")


def test_a_file_is_written_and_replaced(tmp_path):
    path = tmp_path / "file"
    write_whole(path, b"one")
    write_whole(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_written_whole_leaves_the_old_one(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(TypeError), whole_file(path) as file:
        file.writelines([b"half of the new", "and something that is no bytes"])
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_told_of_the_file_that_was_named(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    path = tmp_path / "file"
    with pytest.raises(OSError, match="No space left on device") as caught:
        write_whole(path, b"new")
    assert caught.value.filename == str(path)
    assert list(tmp_path.iterdir()) == []


@posix
def test_permissions_stay(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"secret")
    path.chmod(0o640)
    write_whole(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@posix
def test_a_link_and_what_it_points_to_stay_as_they_are(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"precious")
    link.symlink_to(target)
    with pytest.raises(OSError, match=r"it is a link to .*target.*name that itself"):
        write_whole(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"precious"


@posix
def test_devices_pipes_and_folders_are_refused(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="device or a pipe"):
        write_whole(pipe, b"new")
    with pytest.raises(OSError, match="device or a pipe"):
        write_whole("/dev/null", b"new")
    with pytest.raises(IsADirectoryError, match="it is a folder"):
        write_whole(tmp_path, b"new")
    with pytest.raises(FileNotFoundError, match="no such folder"):
        write_whole(tmp_path / "no" / "file", b"new")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
