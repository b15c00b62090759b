"""What the shuffler's driver orders and when: one command at a time, repeated until answered, never blindly again."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from test_shuffler_driver import MS, Machine

from drivers.events import DeviceFault, DeviceReady
from drivers.wire import messages as m


def orders(sent: Iterable[object]) -> list[m.Shuffle]:
    return [one for one in sent if isinstance(one, m.Shuffle)]


@pytest.fixture
def machine() -> Machine:
    """Enabled, with nothing to say; R-1 is to be shuffled. The next answered poll brings the order."""
    machine = Machine()
    machine.serve()
    machine.serve()
    machine.driver.shuffle("R-1")
    return machine


def polled(machine: Machine, ms: int, *, deal: int = 1) -> list[object]:
    """Time passes and polls are answered; what else was sent. The order itself gets no answer."""
    sent: list[object] = []
    for _ in range(ms // 10):
        for one in machine.after(10):
            if isinstance(one, m.Poll):
                machine.say(m.Status(one.poll_no, 0, deal))
            if isinstance(one, m.DealEnable):
                machine.say(m.Done(one.command_id, m.Result.DONE))
            sent.append(one)
        sent += machine.heard()
    return sent


def ordered(machine: Machine) -> m.Shuffle:
    [order] = orders(polled(machine, 400))
    return order


def session(machine: Machine, boot: bytes = bytes(8)) -> None:
    """The port is opened again, and the machine introduces itself."""
    machine.driver.closed("device gone", machine.now)
    machine.said += machine.driver.opened(machine.now)
    [ask] = [one for one in machine.heard() if isinstance(one, m.HelloAsk)]
    machine.say(m.Hello(ask.nonce, boot, 0, 0, m.CardState.NONE, "SHUFFLER/T", "X-1", "1"))


def test_an_order_is_given_twice_a_second_under_its_one_number_until_it_is_answered(machine: Machine) -> None:
    first = ordered(machine)
    again = orders(polled(machine, 2000))
    assert set(again) == {first} and len(again) == 4
    machine.say(m.Done(first.command_id, m.Result.DONE))
    assert orders(polled(machine, 3000)) == []


def test_while_an_order_is_open_nothing_else_is_commanded(machine: Machine) -> None:
    ordered(machine)
    assert not [one for one in polled(machine, 3000, deal=0) if isinstance(one, m.DealEnable)]


def test_a_refused_order_is_told_once_and_given_anew_after_a_second(machine: Machine) -> None:
    first = ordered(machine)
    machine.say(m.Done(first.command_id, m.Result.JAM))
    assert orders(polled(machine, 900)) == []
    [second] = orders(polled(machine, 400))
    assert second.deck == "R-1" and second.command_id > first.command_id
    machine.say(m.Done(second.command_id, m.Result.JAM))
    polled(machine, 900)
    [third] = orders(polled(machine, 400))
    machine.say(m.Done(third.command_id, m.Result.LID_OPEN))
    told = [one.detail for one in machine.said if isinstance(one, DeviceFault)]
    assert told == ["shuffle refused: jam", "shuffle refused: lid_open"], "a record a second would drown the journal"


def test_another_answer_is_not_the_orders(machine: Machine) -> None:
    first = ordered(machine)
    machine.say(m.Done(first.command_id - 1, m.Result.DONE))
    assert set(orders(polled(machine, 600))) == {first}


def test_nothing_is_ordered_of_a_machine_that_is_not_enabled_or_where_nothing_is_wished(machine: Machine) -> None:
    assert orders(polled(machine, 2000, deal=0)) == []
    machine.driver.shuffle(None)
    assert orders(polled(machine, 2000)) == []


def test_a_wish_that_comes_again_is_a_new_one(machine: Machine) -> None:
    machine.say(m.Done(ordered(machine).command_id, m.Result.DONE))
    machine.driver.shuffle("R-1")
    assert orders(polled(machine, 1000)) == [], "begun already"
    machine.driver.shuffle(None)
    machine.driver.shuffle("R-1")
    assert len(orders(polled(machine, 400))) == 1


def test_a_new_session_forgets_order_answer_and_readiness(machine: Machine) -> None:
    """Nothing is repeated blindly: the machine says first that it is enabled and has nothing to tell."""
    open_order = ordered(machine)
    session(machine)
    assert orders(polled(machine, 1000, deal=0)) == []
    assert sum(isinstance(one, DeviceReady) for one in machine.said) == 1
    [order] = orders(polled(machine, 400))
    assert order.command_id != open_order.command_id
    assert sum(isinstance(one, DeviceReady) for one in machine.said) == 2
    machine.say(m.Done(order.command_id, m.Result.DONE))
    session(machine)
    assert len(orders(polled(machine, 400))) == 1, "what another session answered is no answer in this one"


def test_a_pause_after_a_refusal_ends_with_its_session(machine: Machine) -> None:
    machine.say(m.Done(ordered(machine).command_id, m.Result.JAM))
    session(machine)
    assert len(orders(polled(machine, 400))) == 1


def test_every_order_has_its_time_in_the_tick(machine: Machine) -> None:
    ordered(machine)
    before = machine.now
    due = machine.driver.next_tick_ns
    assert due is not None and due <= before + 500 * MS


def test_an_order_that_is_obeyed_after_a_refusal_introduces_the_machine_anew(machine: Machine) -> None:
    """So that what it refused is no news any more; one that refuses afterwards is told again."""
    machine.say(m.Done(ordered(machine).command_id, m.Result.JAM))
    before = sum(isinstance(one, DeviceReady) for one in machine.said)
    [second] = orders(polled(machine, 1400))[:1]
    machine.say(m.Done(second.command_id, m.Result.DONE))
    assert sum(isinstance(one, DeviceReady) for one in machine.said) == before + 1
    machine.driver.shuffle(None)
    machine.driver.shuffle("R-2")
    machine.say(m.Done(orders(polled(machine, 1400))[0].command_id, m.Result.JAM))
    assert [one.detail for one in machine.said if isinstance(one, DeviceFault)] == ["shuffle refused: jam"] * 2
