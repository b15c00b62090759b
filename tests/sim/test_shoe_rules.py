"""The finer rules of docs/protocol.md, section 5, on the simulated shoe: sessions, dealing, repeats, counters."""

from __future__ import annotations

from drivers.wire.framing import encode_frame
from drivers.wire.messages import (
    Ack,
    DealEnable,
    Done,
    Event,
    EventKind,
    Hello,
    HelloAsk,
    Poll,
    Resend,
    Result,
)
from firmware_sim.event_log import KEPT
from tests.sim.shoe_host import NONCE, Host, numbers


def test_without_a_session_only_the_question_is_heard(host: Host) -> None:
    host.device.card("2c", 0)
    host.hear()
    for message in (Ack(1), Resend(1), DealEnable(1, 1)):
        assert host.say(message) == []
    [hello] = host.say(HelloAsk(NONCE))
    assert isinstance(hello, Hello) and hello.nonce == NONCE


def test_before_the_first_poll_nothing_is_obeyed_however_long_it_takes(host: Host) -> None:
    host.device.card("2c", 0)
    host.hear()
    host.say(HelloAsk(NONCE))
    for message in (Ack(1), Resend(1), DealEnable(1, 1)):
        assert host.say(message) == []
    assert host.after(5000) == []
    assert numbers(host.say(Poll(1, 0))) == [1]
    host.deal()  # id 1 was not carried out, so it still can be


def test_the_same_question_again_changes_nothing_and_is_answered_with_the_numbers_of_now(host: Host) -> None:
    host.session()
    host.deal()
    host.device.card("2c", host.now)
    host.hear()
    [hello] = host.say(HelloAsk(NONCE))
    assert isinstance(hello, Hello)
    assert (hello.nonce, hello.log_first, hello.log_last) == (NONCE, 1, 1)
    assert host.device.deal


def test_a_new_session_counts_commands_from_the_beginning(host: Host) -> None:
    host.session()
    assert host.say(DealEnable(500, 1)) == [Done(500, Result.DONE)]
    host.say(HelloAsk(NONCE + 1))
    assert not host.device.deal
    host.say(Poll(1, 0))
    host.deal()
    assert host.device.deal


def test_one_enable_lets_any_number_of_cards_out(host: Host) -> None:
    host.session()
    host.deal()
    for number in range(1, 31):
        host.device.card("2c", host.now)
        host.say(Ack(number))
    assert host.device.deal


def test_a_card_drawn_while_inhibited_is_an_event_like_any_other(host: Host) -> None:
    host.session()
    assert not host.device.deal
    host.device.card("As", host.now)
    assert host.hear() == [Event(1, EventKind.CARD, 51)]


def test_enabling_without_a_poll_in_the_last_second_is_refused(host: Host) -> None:
    host.session()
    host.after(1000)
    assert host.say(DealEnable(1, 1)) == [Done(1, Result.REFUSED)]
    assert host.say(DealEnable(2, 0)) == [Done(2, Result.DONE)]
    host.say(Poll(2, 0))
    assert host.say(DealEnable(3, 1)) == [Done(3, Result.DONE)]


def test_a_jam_refuses_until_it_is_cleared_and_an_empty_shoe_does_not(host: Host) -> None:
    host.session()
    host.deal()
    host.device.happen(EventKind.EMPTY, 0, host.now)
    assert host.device.deal
    host.device.happen(EventKind.JAM, 0, host.now)
    assert not host.device.deal
    host.hear()
    assert host.say(DealEnable(2, 1)) == [Done(2, Result.JAM)]
    host.device.happen(EventKind.LID_OPEN, 0, host.now)
    host.hear()
    assert host.say(DealEnable(3, 1)) == [Done(3, Result.LID_OPEN)]  # of several reasons the lowest number
    assert host.say(DealEnable(4, 0)) == [Done(4, Result.DONE)]
    host.device.happen(EventKind.LID_CLOSED, 0, host.now)
    host.hear()
    assert not host.device.deal
    assert host.say(DealEnable(5, 1)) == [Done(5, Result.DONE)]


def test_a_log_that_fills_by_a_resend_inhibits(host: Host) -> None:
    host.session()
    for number in range(1, KEPT + 11):
        host.device.happen(EventKind.CUT_CARD, 0, host.now)
        host.say(Ack(number))
    host.deal()
    host.say(Resend(11))
    assert not host.device.deal
    assert Done(2, Result.LOG_FULL) in host.say(DealEnable(2, 1))
    host.say(Ack(11))
    assert Done(3, Result.DONE) in host.say(DealEnable(3, 1))


def test_what_is_no_longer_kept_does_not_fill_the_log(host: Host) -> None:
    host.session()
    for _ in range(KEPT):
        host.device.happen(EventKind.CUT_CARD, 0, host.now)
    host.device.lose_log(KEPT)
    host.hear()
    host.deal()


def test_the_250_ms_are_those_of_the_oldest_event(host: Host) -> None:
    host.session()
    told = []
    for card in ("2c", "3c", "4c"):
        host.device.card(card, host.now)
        told.append(numbers(host.hear()) + numbers(host.after(100)))
    assert told == [[1], [2], [3, 1]]  # later events do not put it off
    host.say(Ack(1))  # progress: the next one has its 250 ms from here
    assert numbers(host.after(249)) == []
    assert numbers(host.after(1)) == [2]


def test_after_a_power_cut_no_event_is_known_to_have_been_sent(host: Host) -> None:
    host.session()
    host.device.card("2c", host.now)
    host.hear()
    host.device.restart()
    host.hear()
    host.say(HelloAsk(NONCE + 1))
    assert Event(1, EventKind.CARD, 0) in host.say(Poll(1, 0))


def test_a_frame_that_breaks_the_protocol_counts_as_a_frame(host: Host) -> None:
    host.session()
    before = host.status(2)
    host.device.receive(encode_frame(bytes.fromhex("01007f00")), host.now)
    after = host.status(3)
    assert (after.frames - before.frames, after.noise) == (2, before.noise)
