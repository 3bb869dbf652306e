"""What writers that were killed left beside a file is gone when it is written again."""

import signal
import subprocess
import sys

from closeread.formats.files.atomic_write import replacing

KILLED = """
import sys, time
from pathlib import Path
from closeread.formats.files.atomic_write import replacing
with replacing(Path(sys.argv[1])) as out:
    out.write(b"half")
    out.flush()
    print("writing", flush=True)
    time.sleep(60)
"""


def _start_writer(target):
    writer = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(target)], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout.readline() == "writing\n"
    return writer


def _stop_writer(writer):
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    writer.stdout.close()


def _file_names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_partial_files_of_ended_processes_are_removed(tmp_path):
    """After SIGKILL a part stays until the same file is written; a living writer's stays too."""
    target, other = tmp_path / "set.json", tmp_path / "set.json.gz"
    killed, elsewhere = _start_writer(target), _start_writer(other)
    _stop_writer(killed)
    _stop_writer(elsewhere)
    living = _start_writer(target)
    try:
        assert len(_file_names(tmp_path)) == 2  # the living one swept what the killed one left
        with replacing(target) as out:
            out.write(b"whole")
        assert target.read_bytes() == b"whole"
        mine = [name for name in _file_names(tmp_path) if f"{living.pid}@" in name]
        of_other = [name for name in _file_names(tmp_path) if name.startswith(".set.json.gz.")]
        assert _file_names(tmp_path) == sorted([*mine, *of_other, "set.json"])
        assert len(mine) == len(of_other) == 1
    finally:
        _stop_writer(living)
    with replacing(target) as out:
        out.write(b"again")
    with replacing(other) as out:
        out.write(b"again")
    assert _file_names(tmp_path) == ["set.json", "set.json.gz"]


def test_partial_files_of_another_machine_are_kept(tmp_path):
    """Nobody here can know whether a writer on another machine lives."""
    theirs = tmp_path / f".set.json.{2**22 + 1}@elsewhere.abcdefgh.part"
    theirs.write_bytes(b"")
    with replacing(tmp_path / "set.json") as out:
        out.write(b"whole")
    assert theirs.exists()


def test_a_long_name_can_be_written(tmp_path):
    """The part's name stays within what file systems take."""
    target = tmp_path / ("长" * 80 + ".json")
    with replacing(target) as out:
        out.write(b"whole")
    assert _file_names(tmp_path) == [target.name]
