"""Keys, seals and silence: nothing face down can be read or inferred before the hand's end."""

from __future__ import annotations

import os
from pathlib import Path

import journal_samples as samples
import pytest

from controller.errors import TableError
from controller.journal import chain, keys, sealing
from controller.journal.records import Record, Row

AAD = sealing.associated(bytes(16), 7)
KEY = bytes(range(32))


def test_a_seal_opens_at_its_place_with_its_key_only() -> None:
    text = sealing.seal(KEY, b'{"card":"As"}', AAD, os.urandom)
    assert sealing.unseal(KEY, text, AAD).rstrip() == b'{"card":"As"}'
    wrong = [(bytes(32), text, AAD), (KEY, text, sealing.associated(bytes(16), 8)), (KEY, text[:-8], AAD)]
    for key, sealed, aad in [*wrong, (KEY, "", AAD), (KEY, "no base64!", AAD), (KEY, text[4:], AAD)]:
        with pytest.raises(sealing.SealError):
            sealing.unseal(key, sealed, aad)


def test_key_commitments_differ_by_key_and_are_no_plain_hash() -> None:
    assert chain.key_commit(KEY) != chain.key_commit(bytes(32))
    assert len(chain.key_commit(KEY)) == 64


def _sizes(directory: Path, cards: list[str], joker: str) -> list[int]:
    directory.mkdir()
    path = directory / "journal.db"
    journal = samples.new(path)
    for event in samples.hand_events(1, cards)[:-1]:
        if isinstance(event, samples.JokerDrawn):
            event = samples.JokerDrawn(slot=joker)  # noqa: PLW2901
        if isinstance(event, samples.JokerShown):
            continue
        if isinstance(event, samples.HandSettled):
            answer = {"hand": "straight_flush" if cards[0] == "Td" else "pair", "net": 20 if cards[0] == "Td" else -5}
            event = samples.HandSettled(request={"cards": cards}, answer=answer)  # noqa: PLW2901
        journal.append([event], hand=1, stamp=samples.stamp())
    journal.close()
    return [len(samples.body_of(path, seq)) for seq in range(1, 8)]


def test_equal_shapes_have_equal_lengths_whatever_the_cards(tmp_path: Path) -> None:
    first = _sizes(tmp_path / "a", ["As", "Kd"], "DOC")
    assert _sizes(tmp_path / "b", ["Td", "??"], "7c") == first
    assert _sizes(tmp_path / "c", ["JK", "2c"], "2c") == first


def test_no_hidden_card_seed_or_key_lies_in_the_files_of_an_open_hand(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = samples.new(path)
    events = samples.hand_events(1, ["Qh", "Jh"])[:4]
    records = journal.append(events, hand=1, stamp=samples.stamp())
    secrets = [b"Qh", b"Jh", events[0].key.encode(), events[1].seed.encode()]
    for file in tmp_path.iterdir():
        if file.is_file():
            assert not any(secret in file.read_bytes() for secret in secrets[2:])
    for seq in range(1, journal.seq + 1):
        body = samples.body_of(path, seq)
        assert b'"card"' not in body
        assert not any(b'"' + secret + b'"' in body for secret in secrets)
    assert not any("Qh" in repr(record) for record in records)


def test_reprs_show_no_contents() -> None:
    event = samples.CardDealt(place="box", card="As")
    record = Record(4, 1, "CardDealt", samples.stamp(), event, b"")
    row = Row(4, "hand/1", 1, b"", b"", b'{"card":"As"}')
    made = keys.Keys(KEY, KEY)
    assert "As" not in f"{record!r} {row!r}"
    assert KEY.hex() not in f"{made!r}"
    assert made.public_hex in f"{made!r}"


def test_keys_are_made_once_and_for_their_owner_alone(tmp_path: Path) -> None:
    made = keys.create(tmp_path, os.urandom)
    for name in (keys.SIGNING, keys.CREDENTIAL):
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
    assert keys.load(tmp_path).public_hex == made.public_hex
    with pytest.raises(TableError, match="stands there already"):
        keys.create(tmp_path, os.urandom)


@pytest.mark.parametrize("name", [keys.SIGNING, keys.CREDENTIAL])
def test_a_bad_key_file_is_refused(tmp_path: Path, name: str) -> None:
    keys.create(tmp_path, os.urandom)
    file = tmp_path / name
    file.chmod(0o644)
    with pytest.raises(TableError, match="open to others"):
        keys.load(tmp_path)
    file.chmod(0o600)
    for content in (b"", bytes(31), bytes(33)):
        file.write_bytes(content)
        with pytest.raises(TableError, match="not 32 bytes"):
            keys.load(tmp_path)
    file.unlink()
    with pytest.raises(TableError, match="not to be read"):
        keys.load(tmp_path)
    with pytest.raises(TableError, match="not written"):
        keys.create(tmp_path / "nowhere", os.urandom)
