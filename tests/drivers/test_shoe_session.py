"""The shoe driver's session: who is there, heartbeat, loss, change, dealing."""

from __future__ import annotations

import pytest
from fake_shoe import MS, FakeShoe, Table

from drivers.events import CardRead, DeviceFault, DeviceLost, DeviceReady
from drivers.session_state import State
from drivers.wire import messages as m
from drivers.wire.codec import to_bytes
from drivers.wire.framing import encode_frame
from drivers.wire.link import Link, Side


def ready_table(**device: str) -> Table:
    table = Table(FakeShoe(**device))
    table.plug()
    table.run(100)
    return table


def test_opening_begins_with_delimiters_and_a_question() -> None:
    table = Table(FakeShoe())
    table.plug()
    out = table.driver.outgoing()
    assert out.startswith(b"\x00" * 8)
    assert Link(Side.DEVICE).receive(out) == [m.HelloAsk(table.now_ns)]
    assert table.driver.outgoing() == b""


def test_a_device_introduces_itself_once() -> None:
    table = ready_table()
    table.run(5000)
    assert table.said == [DeviceReady("shoe", "SHOE", "S-0007", "1.0.3", "0000000000000001", 0, 0)]
    assert table.driver.state is State.READY


def test_the_heartbeat_is_200_ms_and_carries_the_journal() -> None:
    table = ready_table()
    table.device.taken.clear()
    table.device.cards(51)
    table.run(2000)
    polls = [item for item in table.device.taken if isinstance(item, m.Poll)]
    assert len(polls) == 10
    assert polls[-1].acked == 1


def test_no_answer_is_silent_after_600_ms_and_lost_after_5_s() -> None:
    table = ready_table()
    table.device.silent_until_ns = table.now_ns + 8000 * MS
    table.said.clear()
    table.run(700)
    assert table.codes() == []
    table.run(200)
    assert table.codes() == ["silent"]
    table.run(5000)
    assert table.said[1:] == [DeviceLost("shoe", "no answer for 5 s")]
    table.run(3500)
    assert table.codes() == ["silent", "DeviceLost", "DeviceReady"]


def test_a_short_silence_ends_with_ready() -> None:
    table = ready_table()
    table.said.clear()
    table.device.silent_until_ns = table.now_ns + 1500 * MS
    table.run(2500)
    assert table.codes() == ["silent", "DeviceReady"]


def test_a_host_that_was_held_up_blames_nobody() -> None:
    table = ready_table()
    table.said.clear()
    table.now_ns += 30_000 * MS
    table.run(1000)
    assert table.said == []


def test_a_device_that_never_answers_is_lost_once() -> None:
    table = Table(FakeShoe())
    table.to_host = lambda _: b""
    table.plug()
    table.run(60_000)
    assert table.said == [DeviceLost("shoe", "no answer for 5 s")]
    assert len(table.written) < 130 * 30


def test_a_port_that_does_not_open_is_told_once_for_each_reason() -> None:
    table = Table(FakeShoe())
    for reason in ("no such port", "no such port", "port in use by pid 7", "port in use by pid 7"):
        table.unplug(reason)
    assert [getattr(event, "reason", "") for event in table.said] == ["no such port", "port in use by pid 7"]
    assert table.driver.next_tick_ns is None
    assert table.driver.receive(b"\x00\x01\x00", 1) == []
    assert table.driver.outgoing() == b""


def test_f9_a_device_that_restarts_on_open_with_a_banner_and_a_new_log() -> None:
    table = Table(FakeShoe(), last_event=42)
    table.device.silent_until_ns = table.now_ns + 2000 * MS
    table.plug()
    table.give(b"SHOE v1.2\r\n")
    table.device.cards(51, 50)
    table.run(4000)
    assert table.codes() == ["noise", "DeviceReady", "log_restarted"]
    assert table.told(CardRead) == []
    assert table.driver.state is State.HELD
    table.device.cards(49)
    table.run(2000)
    assert table.told(CardRead) == []
    table.driver.adopt(2)  # people looked: two cards are void, go on from there
    table.run(2000)
    assert table.told(CardRead) == [CardRead("shoe", 3, "Ad", trusted=False)]
    assert table.device.acked == 3


def test_f12_a_shuffler_on_the_shoes_port_is_named_and_never_heard() -> None:
    device = FakeShoe(model="SHUFFLER/Mk3")
    device.cards(51, 50)
    table = Table(device)
    table.plug()
    table.run(20_000)
    assert table.said == [DeviceFault("shoe", "wrong_device", "wrong device: expected SHOE, got SHUFFLER")]
    assert device.polled_ns is None
    assert not any(isinstance(item, m.Poll) for item in device.taken)
    device.model = "SHOE/Mk2"
    table.run(2000)
    assert [type(event) for event in table.said[1:]] == [DeviceReady, CardRead, CardRead]


def test_a_reboot_with_its_log_intact_goes_on() -> None:
    table = ready_table()
    table.device.cards(51)
    table.run(100)
    table.said.clear()
    table.device.power_up()
    table.device.cards(50)
    table.run(2000)
    assert table.codes() == ["DeviceReady", "rebooted", "CardRead"]
    assert table.journal == {1: "As", 2: "Ah"}


def test_another_firmware_is_told_another_serial_is_held() -> None:
    table = ready_table()
    table.unplug()
    table.device.firmware = "1.0.4"
    table.plug()
    table.run(500)
    assert table.codes()[-2:] == ["DeviceReady", "device_changed"]
    assert table.driver.state is State.READY
    table.unplug()
    table.device.serial = "S-0008"
    table.device.cards(1, 2, 3)
    table.plug()
    table.run(500)
    assert table.codes()[-2:] == ["DeviceReady", "device_changed"]
    assert table.driver.state is State.HELD
    table.unplug()
    table.plug()
    table.run(500)
    assert table.driver.state is State.HELD, "a second look at a stranger does not make it a friend"
    assert table.told(CardRead) == []
    table.driver.adopt(3)
    table.device.cards(4)
    table.run(500)
    assert table.told(CardRead) == [CardRead("shoe", 4, "3c", trusted=False)]


def test_a_card_half_drawn_at_the_greeting_is_told() -> None:
    table = Table(FakeShoe())
    table.device.card = m.CardState.HALF_DRAWN
    table.plug()
    table.run(100)
    assert table.said[1:] == [DeviceFault("shoe", "card_position", "half_drawn")]


def test_f25_a_drop_of_300_ms_costs_nothing() -> None:
    table = ready_table()
    table.device.cards(0, 1, 2)
    table.run(100)
    table.said.clear()
    table.unplug()
    table.device.cards(3)
    table.run(300)
    table.plug()
    table.run(500)
    assert table.codes() == ["DeviceLost", "DeviceReady", "CardRead"]
    assert list(table.journal) == [1, 2, 3, 4]
    assert table.differs == []


def test_the_deal_level_is_repeated_until_done_and_again_after_a_reboot() -> None:
    table = ready_table()
    lost = Link(Side.DEVICE)
    table.to_device = lambda data: b"" if any(isinstance(x, m.DealEnable) for x in lost.receive(data)) else data
    table.driver.enable_deal(True)
    table.run(1200)
    assert not table.device.deal
    table.to_device = lambda data: data
    table.run(600)
    assert table.device.deal
    commands = len(table.device.done_for)
    table.run(3000)
    assert len(table.device.done_for) == commands, "confirmed: said no more"
    table.device.power_up()
    assert not table.device.deal
    table.run(1000)
    assert table.device.deal
    table.driver.enable_deal(False)
    table.run(100)
    assert not table.device.deal


def test_a_device_that_inhibited_itself_is_enabled_again() -> None:
    table = ready_table()
    table.driver.enable_deal(True)
    table.run(100)
    table.to_device = lambda _: b""
    table.run(1500)
    assert not table.device.deal
    table.to_device = lambda data: data
    table.run(2500)
    assert table.device.deal


def test_a_host_that_was_held_up_polls_before_it_enables() -> None:
    table = ready_table()
    table.driver.enable_deal(True)
    table.driver.outgoing()  # lost
    table.now_ns += 3000 * MS
    table.run(20)
    assert table.device.deal


def test_a_refusal_is_told_once_and_asked_again() -> None:
    table = ready_table()
    table.device.lid_open = True
    table.said.clear()
    table.driver.enable_deal(True)
    table.run(5000)
    assert table.said == [DeviceFault("shoe", "inhibited", "refused: lid_open")]
    table.device.lid_open = False
    table.run(1500)
    assert table.device.deal


def test_a_late_done_or_status_answers_nothing() -> None:
    table = ready_table()
    late = Link(Side.DEVICE)
    table.to_host = lambda _: late.send(m.Status(1, 0, 0)) + late.send(m.Done(1, m.Result.DONE))
    table.driver.enable_deal(True)
    table.said.clear()
    table.run(7000)
    assert table.codes() == ["silent", "DeviceLost"]
    assert table.driver._level.due_ns is not None


def test_acknowledging_what_was_never_delivered_is_refused() -> None:
    with pytest.raises(ValueError, match="never delivered"):
        Table(FakeShoe(), last_event=3).driver.acknowledge(4)


def test_a_log_that_shrinks_in_a_session_is_asked_who_it_is() -> None:
    table = ready_table()
    table.device.cards(51, 50)
    table.run(300)
    table.said.clear()
    table.device.log.clear()
    table.device.log_last = 1
    table.run(500)
    assert table.codes() == ["DeviceReady", "log_restarted"]
    assert table.driver.state is State.HELD


def test_after_people_decided_older_events_are_acknowledged_and_not_told() -> None:
    table = Table(FakeShoe(), last_event=9)
    table.device.cards(0, 1, 2)
    table.plug()
    table.run(200)
    assert table.codes() == ["DeviceReady", "log_restarted"]
    table.driver.adopt(3)
    due = table.driver.next_tick_ns
    assert due is not None and due <= table.now_ns
    table.run(50)
    table.give(table.device.link.send(m.Event(2, m.EventKind.CARD, 1, again=True)))
    table.run(500)
    assert table.told(CardRead) == []
    assert table.device.acked == 3
    assert table.driver.state is State.READY


def older_journal(*, journal_ends: int, acknowledged: int = 5) -> Table:
    """A shoe that has told seven cards, five of them to a journal that was then replaced by an older copy."""
    shoe = FakeShoe()
    shoe.remembers = True
    shoe.cards(0, 1, 2, 3, 4, 5, 6)
    shoe.ever = acknowledged
    table = Table(shoe, last_event=journal_ends)
    table.plug()
    table.run(600)
    return table


def test_a_journal_behind_what_the_shoe_has_seen_acknowledged_gets_no_event() -> None:
    """An old copy of the journal was put back: what the newer one had is not taken for news."""
    table = older_journal(journal_ends=3)
    assert table.codes() == ["DeviceReady", "acked_ahead"]
    assert "up to 5" in table.told(DeviceFault)[0].detail and "ends at 3" in table.told(DeviceFault)[0].detail
    assert (table.driver.state, table.told(CardRead)) == (State.HELD, [])


@pytest.mark.parametrize(("at", "told"), [(3, ["3c", "3d", "3h", "3s"]), (7, [])])
def test_it_goes_on_where_people_decided(at: int, told: list[str]) -> None:
    table = older_journal(journal_ends=3)
    table.driver.adopt(at)
    table.run(1000)
    assert (table.driver.state, table.device.acked) == (State.READY, 7)
    assert len(table.told(CardRead)) == len(told) == 7 - at
    assert table.codes().count("acked_ahead") == 1  # judged once
    table.device.power_up()
    table.run(6000)
    assert table.codes().count("acked_ahead") == 1


def test_more_that_was_acknowledged_elsewhere_since_then_is_another_doubt() -> None:
    table = older_journal(journal_ends=3)
    table.driver.adopt(3)
    table.unplug()
    table.device.ever = 6
    table.device.power_up()
    table.plug()
    table.run(1000)
    assert (table.codes().count("acked_ahead"), table.driver.state) == (2, State.HELD)


@pytest.mark.parametrize(("journal_ends", "acknowledged"), [(5, 5), (6, 5), (0, 5), (3, 0)])
def test_a_journal_that_knows_them_or_knows_none_is_no_reason(journal_ends: int, acknowledged: int) -> None:
    """One with no event of this shoe is new, or the shoe is: the table takes the log up on record."""
    table = older_journal(journal_ends=journal_ends, acknowledged=acknowledged)
    assert "acked_ahead" not in table.codes()
    assert (table.driver.state, len(table.told(CardRead))) == (State.READY, 7 - journal_ends)


def test_an_event_that_cannot_be_understood_blocks_until_people_decide() -> None:
    table = ready_table()
    goods = [m.Event(1, m.EventKind.CARD, 51, again) for again in (False, True)]
    frames = {encode_frame(to_bytes(good)): encode_frame(to_bytes(good)[:-1] + b"\x63") for good in goods}

    def break_it(data: bytes) -> bytes:
        for good, broken in frames.items():
            data = data.replace(good, broken)
        return data

    table.to_host = break_it
    table.device.cards(51, 50)
    table.run(5000)
    assert table.told(CardRead) == []
    assert table.device.acked == 0
    table.driver.adopt(1)
    table.run(1000)
    assert table.told(CardRead) == [CardRead("shoe", 2, "Ah", trusted=False)]


def test_a_lost_held_device_is_asked_again() -> None:
    table = Table(FakeShoe(), last_event=9)
    table.plug()
    table.run(200)
    table.device.silent_until_ns = table.now_ns + 7000 * MS
    table.run(9000)
    assert table.codes() == ["DeviceReady", "log_restarted", "silent", "DeviceLost", "DeviceReady", "log_restarted"]


def test_unasked_answers_and_old_greetings_change_nothing() -> None:
    table = ready_table()
    table.said.clear()
    stranger = Link(Side.DEVICE)
    hello = m.Hello(77, b"\x09" * 8, 0, 0, m.CardState.NONE, "SHOE", "S-6666", "9")
    table.give(stranger.send(hello) + stranger.send(m.Status(9000, 5, 1)) + stranger.send(m.Done(9, m.Result.JAM)))
    assert table.said == []
    assert table.driver.state is State.READY
