"""The journal's disk: writable for good, quick enough, roomy, unharmed; and that memory with cards in it stays memory.

Writes one scratch file of its own in the journal's folder, to time it, and removes it. Never touches the journal.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from controller.doctor.finding import Finding, Topic
from controller.doctor.machine import Machine, Scene

FOLDER = Topic(920)
MOUNT = Topic(921)
SPEED = Topic(922)
SPACE = Topic(923)
HEALTH = Topic(924)
SWAP = Topic(925)
CORE = Topic(926)
MIRROR = Topic(927)
WITNESS = Topic(928)
MEMORY_SYSTEMS = ("tmpfs", "ramfs", "overlay")
WRITES, BLOCK = 100, bytes(4096)
SLOW_P50_MS, SLOW_P99_MS, DEAD_P99_MS = 25.0, 250.0, 3000.0
LITTLE_BYTES, NOTHING_BYTES = 1 << 30, 100 << 20


class Mount(Struct, frozen=True):
    """One line of mountinfo."""

    point: str
    device: str
    kind: str
    options: frozenset[str]


def probe(scene: Scene) -> Iterator[Finding]:
    """The folder, its file system, its disk; then swap and core files."""
    folder = Path(scene.config.journal.path).parent
    if folder.is_dir():
        yield _owner(scene.machine, folder)
        yield from _mount(scene.machine, folder)
        yield _speed(scene.machine, folder)
        yield _space(folder)
    else:
        yield FOLDER.fail("the journal's folder is missing", str(folder), "systemd-tmpfiles --create makes it")
    yield from _mirror(scene, folder)
    yield from _witness(scene, folder)
    yield _swap(scene.machine)
    yield _core(scene)


def _mirror(scene: Scene, folder: Path) -> Iterator[Finding]:
    """The second copy, which is worth something on another medium only."""
    if scene.config.journal.mirror is None:
        remedy = "name journal.mirror on another medium: with one copy a worn card ends the hand"
        yield MIRROR.warn("the journal has no second copy", "journal.mirror", remedy)
        return
    there = Path(scene.config.journal.mirror).parent
    if not there.is_dir():
        yield MIRROR.fail("the mirror's folder is missing", str(there), "mount its medium there")
    elif folder.is_dir() and there.stat().st_dev == folder.stat().st_dev:
        yield MIRROR.warn("the mirror lies on the journal's own medium", str(there), "mount another one there")
    else:
        yield MIRROR.ok("the mirror lies on another medium", str(there))
        yield _space(there)


def _witness(scene: Scene, folder: Path) -> Iterator[Finding]:
    """What knows the journal's head must not be put back together with the journal."""
    if scene.config.journal.witness is None:
        remedy = "name journal.witness on another medium, or note the head at closing and ask `tablectl audit --head`"
        yield WITNESS.warn("no witness: an old copy of the journal would start", "journal.witness", remedy)
        return
    there = Path(scene.config.journal.witness).parent
    if not there.is_dir():
        yield WITNESS.fail("the witness's folder is missing", str(there), "mount its medium there")
    elif folder.is_dir() and there.stat().st_dev == folder.stat().st_dev:
        yield WITNESS.warn("the witness lies on the journal's own medium", str(there), "mount another one there")
    else:
        yield WITNESS.ok("the witness lies on another medium", str(there))


def _owner(machine: Machine, folder: Path) -> Finding:
    found = folder.stat()
    if machine.user.uid not in (found.st_uid, 0):
        remedy = f"chown -R {machine.user.name}: {folder}"
        return FOLDER.fail(f"the folder does not belong to {machine.user.name}", str(folder), remedy)
    if found.st_mode & 0o022:
        return FOLDER.fail(f"others may write there (mode {found.st_mode & 0o777:04o})", str(folder), "chmod 0700 it")
    return FOLDER.ok("the folder is the daemon's", str(folder))


# --- the file system


def mount_of(machine: Machine, folder: Path) -> Mount | None:
    """The mount that holds the folder; of several at one place the last."""
    text = machine.text(machine.proc / "self/mountinfo") or ""
    real = folder.resolve()
    best: Mount | None = None
    for line in text.splitlines():
        before, dash, after = line.partition(" - ")
        words, kinds = before.split(), after.split()
        if not dash or len(words) < 6 or len(kinds) < 3:
            continue
        point = words[4].encode().decode("unicode_escape")  # a blank stands as \040
        options = frozenset(words[5].split(",")) | frozenset(kinds[2].split(","))
        if real.is_relative_to(point) and (best is None or len(point) >= len(best.point)):
            best = Mount(point, words[2], kinds[0], options)
    return best


def _mount(machine: Machine, folder: Path) -> Iterator[Finding]:
    mount = mount_of(machine, folder)
    if mount is None:
        yield MOUNT.skipped("its mount is not to be found", str(folder))
        return
    where = f"{mount.point} ({mount.kind})"
    if "ro" in mount.options:
        yield MOUNT.fail(
            "mounted read-only", where, "see dmesg for the error behind it; replace the card if it is worn"
        )
    elif mount.kind in MEMORY_SYSTEMS:
        yield MOUNT.fail("what is written there is gone with the power", where, "give the journal a real disk")
    elif "noatime" not in mount.options:
        yield MOUNT.warn("reading writes (no noatime)", where, "add noatime in /etc/fstab: it spares the card")
    else:
        yield MOUNT.ok("mounted for writing, noatime", where)
    yield _health(machine, mount)


def _health(machine: Machine, mount: Mount) -> Finding:
    """The file system's own count of errors, and the wear that an eMMC tells."""
    block = machine.sys / "dev/block" / mount.device
    disk = block.resolve()
    count = machine.text(machine.sys / "fs/ext4" / disk.name / "errors_count")
    wear = machine.text(disk.parent / "device/life_time")
    if count is None and wear is None:
        return HEALTH.skipped("this disk tells nothing of its health", mount.point)
    if count not in (None, "0"):
        remedy = "fsck it, then replace the card; keep the mirror"
        return HEALTH.fail(f"the file system has {count} errors on record", mount.point, remedy)
    worn = max((int(part, 16) for part in (wear or "").split()), default=0)
    if worn >= 0x0A:
        return HEALTH.warn(f"{min(worn, 10) * 10} % of its life is used up", mount.point, "replace it soon")
    return HEALTH.ok("no errors on record", mount.point)


def _speed(machine: Machine, folder: Path) -> Finding:
    where = f"{folder}, {WRITES} x write and fdatasync of {len(BLOCK)} bytes"
    try:
        times = sorted(_timed(machine, folder))
    except OSError as error:
        return SPEED.fail(f"not to be written ({error.strerror})", where, "run it with sudo, or see the disk")
    p50, p99 = times[len(times) // 2] / 1e6, times[len(times) * 99 // 100] / 1e6
    what = f"p50 {p50:.1f} ms, p99 {p99:.1f} ms"
    if p99 >= DEAD_P99_MS:
        return SPEED.fail(f"{what}: the watchdog would bite", where, "replace the card or disk")
    if p50 >= SLOW_P50_MS or p99 >= SLOW_P99_MS:
        return SPEED.warn(f"{what}: every fact waits so long", where, "use a better card (A2) or an SSD")
    return SPEED.ok(what, where)


def _timed(machine: Machine, folder: Path) -> Iterator[int]:
    with tempfile.TemporaryFile(prefix=".doctor-", dir=folder) as file:
        for _ in range(WRITES):
            began = machine.clock_ns()
            file.write(BLOCK)
            file.flush()
            os.fdatasync(file.fileno())
            yield machine.clock_ns() - began


def _space(folder: Path) -> Finding:
    found = os.statvfs(folder)
    return space(found.f_bavail * found.f_frsize, str(folder))


def space(free: int, where: str) -> Finding:
    """How much is left, judged."""
    what = f"{free / (1 << 30):.1f} GiB free"
    if free < NOTHING_BYTES:
        return SPACE.fail(what, where, "make room: without it nothing is recorded")
    if free < LITTLE_BYTES:
        return SPACE.warn(what, where, "make room, or archive old journals")
    return SPACE.ok(what, where)


# --- memory


def _swap(machine: Machine) -> Finding:
    path = machine.proc / "swaps"
    areas = [line.split()[0] for line in (machine.text(path) or "").splitlines()[1:]]
    on_disk = [area for area in areas if "zram" not in area]
    if on_disk:
        remedy = "swapoff -a and remove it (systemctl disable dphys-swapfile); the unit keeps the daemon out of it"
        return SWAP.warn(f"swap on a disk: {', '.join(on_disk)}", str(path), remedy)
    return SWAP.ok("no swap on a disk", str(path))


def _core(scene: Scene) -> Finding:
    machine, daemon = scene.machine, scene.daemon
    if daemon is None:
        return CORE.skipped("whether the daemon may leave a core file shows while it runs", "tabled")
    path = machine.proc / str(daemon) / "limits"
    line = next((one for one in (machine.text(path) or "").splitlines() if one.startswith("Max core file size")), "")
    limits = line.split()[4:6]
    if not limits:
        return CORE.skipped("its limits are not to be read", str(path), "run it with sudo")
    if all(limit in ("0", "1") for limit in limits):
        return CORE.ok("the daemon leaves no core file", str(path))
    remedy = "start it by its unit (LimitCORE=0): a core file would hold cards"
    return CORE.fail(f"the daemon may leave a core file ({limits[0]})", str(path), remedy)
