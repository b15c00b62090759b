"""What a disk holds after each single system call of a program that strace has watched.

Two readings of a moment: the program is killed (every call before it has happened), or the power fails (what no fsync
has confirmed may be there, in part, or not). No game and no SQLite here: files, bytes and calls.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

CALLS = "openat,pwrite64,write,ftruncate,fsync,fdatasync,rename,renameat,link,linkat,unlink,unlinkat"
_LINE = re.compile(r"^(?:\d+ +)?(?P<name>\w+)\((?P<args>.*)\) += (?P<result>-?\d+)")
_FD = re.compile(r"^\d+<(?P<path>(?:\\x[0-9a-f]{2})*)>")
_STRING = re.compile(r'"(?P<text>(?:\\x[0-9a-f]{2})*)"(?P<cut>\.\.\.)?')


class Call(msgspec.Struct, frozen=True):
    """One call that changes a file, or confirms it; `told` lines are what the program said on stdout."""

    kind: str
    path: Path
    offset: int = 0
    data: bytes = b""
    to: Path | None = None


def watched(command: Sequence[str], log: Path) -> list[Call]:
    """Runs the program under strace; every call on a file below the log's folder, in order."""
    strace = ["strace", "-f", "-qq", "-xx", "-s", "1000000", "-y", "-e", f"trace={CALLS}", "-o", str(log)]
    subprocess.run([*strace, sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
    return [call for call in _calls(log) if call.kind == "told" or log.parent in call.path.parents]


def _calls(log: Path) -> Iterator[Call]:
    begun: dict[str, str] = {}  # by thread: a call during which another thread made one
    for line in log.read_text("ascii").splitlines():
        thread, _, rest = line.partition(" ")
        if line.endswith("<unfinished ...>"):
            begun[thread] = line.removesuffix("<unfinished ...>")
            continue
        whole = begun.pop(thread) + rest.split(" resumed>", 1)[1].lstrip() if " resumed>" in rest else line
        found = _LINE.match(whole)
        if found is None or found["result"].startswith("-"):
            continue
        call = _call(found["name"], found["args"])
        if call is not None:
            yield call


def _call(name: str, args: str) -> Call | None:
    strings = [_bytes(m["text"]) for m in _STRING.finditer(args)]
    assert "..." not in re.sub(r'"[^"]*"', "", args), "strace cut a string short"
    handle = _FD.match(args)
    path = Path(_bytes(handle["path"]).decode()) if handle else Path()
    match name:
        case "write" if args.startswith("1<"):
            return Call("told", Path(), data=strings[0])
        case "write":
            return Call("append", path, data=strings[0])
        case "pwrite64":
            return Call("write", path, int(args.rsplit(", ", 1)[1]), strings[0])
        case "ftruncate":
            return Call("cut", path, int(args.rsplit(", ", 1)[1]))
        case "fsync" | "fdatasync":  # counts when it has returned
            return Call("sync", path)
        case "openat" if "O_CREAT" in args:
            return Call("make", Path(strings[0].decode()))
        case "rename" | "link" | "renameat" | "linkat":
            return Call(name.removesuffix("at"), Path(strings[0].decode()), to=Path(strings[1].decode()))
        case "unlink" | "unlinkat":
            return Call("unlink", Path(strings[0].decode()))
    return None


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


class Disk:
    """Files by name, as the calls leave them; beside each content what is sure to survive a power cut."""

    def __init__(self) -> None:
        self.files: dict[Path, bytearray] = {}
        self.sure: dict[Path, bytes] = {}
        self.open_writes: dict[Path, list[Call]] = {}

    def do(self, call: Call) -> None:
        """One call more."""
        match call.kind:
            case "make":
                self.files.setdefault(call.path, bytearray())
                self.sure.setdefault(call.path, b"")
            case "append":
                self.do(Call("write", call.path, len(self.files.get(call.path, b"")), call.data))
            case "write" | "cut":
                apply(self.files.setdefault(call.path, bytearray()), call)
                self.open_writes.setdefault(call.path, []).append(call)
            case "sync" if call.path in self.files:
                self.sure[call.path] = bytes(self.files[call.path])
                self.open_writes[call.path] = []
            case "rename" | "link":
                assert call.to is not None
                for place in (self.files, self.sure, self.open_writes):
                    if call.path in place:
                        place[call.to] = place[call.path] if call.kind == "link" else place.pop(call.path)  # type: ignore[attr-defined]
            case "unlink":
                for place in (self.files, self.sure, self.open_writes):
                    place.pop(call.path, None)  # type: ignore[attr-defined]

    def killed(self) -> dict[Path, bytes]:
        """The program is gone, the machine is not."""
        return {path: bytes(data) for path, data in self.files.items()}

    def power_cut(self, dice: random.Random | None = None) -> dict[Path, bytes]:
        """Nothing that was not confirmed; with dice, any part of it, a write torn in the middle included."""
        left = {}
        for path in self.files:
            data = bytearray(self.sure.get(path, b""))
            for call in self.open_writes.get(path, []):
                if dice is not None and dice.random() < 0.5:
                    apply(data, call, dice.randrange(len(call.data) + 1) if dice.random() < 0.3 else None)
            left[path] = bytes(data)
        return left


def moments(script: Path, origin: Path, again: Path, *, power: bool, seed: int) -> Iterator[None]:
    """Lays into `again` what the disk holds at each call of the script, run on `origin`, after it has spoken."""
    origin.mkdir(), again.mkdir()
    calls = watched([str(script), str(origin)], origin / "strace.log")
    for key in origin.glob("*.key"):
        shutil.copy(key, again)
    disk, began, dice = Disk(), False, random.Random(seed)
    for call in calls:
        disk.do(call)
        began = began or call.kind == "told"
        if began:
            lay(disk.power_cut(dice) if power else disk.killed(), origin, again)
            yield


def apply(data: bytearray, call: Call, torn: int | None = None) -> None:
    """A write or a cut on some bytes."""
    if call.kind == "cut":
        del data[call.offset :]
        data.extend(bytes(call.offset - len(data)))
        return
    piece = call.data[:torn]
    data.extend(bytes(max(0, call.offset + len(piece) - len(data))))
    data[call.offset : call.offset + len(piece)] = piece


def is_read(path: Path) -> bool:
    """Whether a start reads that file: the others are made anew."""
    return path.name.startswith("journal") and not path.name.endswith(("-shm", ".lock"))


def lay(files: dict[Path, bytes], origin: Path, folder: Path) -> None:
    """The journal's files in another folder, in place of others."""
    for old in folder.glob("journal*"):
        old.unlink()
    for path, data in files.items():
        if is_read(path):
            there = folder / path.relative_to(origin)
            twin = next((one for one in folder.glob("journal*.db") if data and one.read_bytes() == data), None)
            there.write_bytes(data) if twin is None else there.hardlink_to(twin)
