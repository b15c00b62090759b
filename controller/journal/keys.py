"""The table's two keys: Ed25519 for checkpoints, 32 bytes of credential that wrap the hands' keys.

Reads them from a directory (systemd's credential directory or a path) and writes them only in `create`.
It must never print a key, make one unasked, or accept one that others on the machine can read.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from controller.errors import TableError
from controller.journal.sealing import KEY_BYTES, Entropy

SIGNING: Final = "signing.key"
CREDENTIAL: Final = "credential.key"


class Keys:
    """Both keys in memory. Its repr shows the public half alone."""

    __slots__ = ("_signing", "credential")

    def __init__(self, signing: bytes, credential: bytes) -> None:
        self._signing = Ed25519PrivateKey.from_private_bytes(signing)
        self.credential = credential

    def sign(self, message: bytes) -> str:
        """The signature in hex."""
        return self._signing.sign(message).hex()

    @property
    def public(self) -> Ed25519PublicKey:
        """The half that outsiders check with."""
        return self._signing.public_key()

    @property
    def public_hex(self) -> str:
        """As it stands in record 1 and on the opening sheet."""
        return self.public.public_bytes(Encoding.Raw, PublicFormat.Raw).hex()

    def __repr__(self) -> str:
        return f"Keys(public={self.public_hex})"


def create(directory: Path, entropy: Entropy) -> Keys:
    """Writes a new pair of key files under their usual names."""
    return create_files(directory / SIGNING, directory / CREDENTIAL, entropy)


def create_files(signing: Path, credential: Path, entropy: Entropy) -> Keys:
    """Writes a new pair, mode 0600. Refuses to overwrite: a lost key makes a journal unreadable."""
    pair = entropy(KEY_BYTES), entropy(KEY_BYTES)
    for path, key in zip((signing, credential), pair, strict=True):
        _write(path, key)
    return Keys(*pair)


def load(directory: Path) -> Keys:
    """Both keys from a directory, under their usual names."""
    return load_files(directory / SIGNING, directory / CREDENTIAL)


def load_files(signing: Path, credential: Path) -> Keys:
    """Both keys, or a TableError that names the file and what is wrong with it."""
    return Keys(read_key(signing), read_key(credential))


def signing_key(path: Path) -> Ed25519PrivateKey:
    """A signing key alone, for documents that are no journal."""
    return Ed25519PrivateKey.from_private_bytes(read_key(path))


def public_key(text: str) -> Ed25519PublicKey:
    """A public key from its 64 hex characters. ValueError where it is none."""
    return Ed25519PublicKey.from_public_bytes(bytes.fromhex(text))


def _write(path: Path, key: bytes) -> None:
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise TableError(220, "a key stands there already", str(path), "move it away first, by two people") from None
    except OSError as error:
        raise TableError(221, f"key not written ({error.strerror})", str(path), "check the directory") from None
    with os.fdopen(handle, "wb") as file:
        file.write(key)
        file.flush()
        os.fsync(file.fileno())


def replace_key(path: Path, key: bytes) -> None:
    """A device's new key in place of the old one, whole or not at all; mode 0600."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    _write(fresh, key)
    try:
        fresh.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise TableError(221, f"key not written ({error.strerror})", str(path), "check the directory") from None


def remove_key(path: Path) -> None:
    """A key that counts no more."""
    try:
        path.unlink(missing_ok=True)
        _sync_folder(path.parent)
    except OSError as error:
        raise TableError(221, f"key not removed ({error.strerror})", str(path), "remove it by hand") from None


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_key(path: Path) -> bytes:
    """32 bytes that nobody else on the machine can read, or a TableError that names the file."""
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            key = file.read(KEY_BYTES + 1)
    except OSError as error:
        what = f"key not to be read ({error.strerror})"
        raise TableError(222, what, str(path), "make the keys with `tabled --init` or pass the credential") from None
    if mode & (stat.S_IRWXO | stat.S_IWGRP):
        raise TableError(223, f"key open to others (mode {stat.S_IMODE(mode):04o})", str(path), "chmod 0600 it")
    if len(key) != KEY_BYTES:
        raise TableError(224, f"key is not {KEY_BYTES} bytes long", str(path), "restore the right file")
    return key
