"""What `tablectl status` and `do` say to people. Pure; amounts in minor units."""

from __future__ import annotations

from typing import Any

import msgspec

from controller.cli.output import strong


def describe(snapshot: dict[str, Any]) -> list[str]:
    """A snapshot for people: what is asked, why somebody called, every box in play, what to pay, what waits."""
    training = "TRAINING, nothing counts: " if snapshot.get("training") else ""
    lines = [strong(f"{training}table {snapshot.get('table')}  hand {snapshot.get('hand')}  {snapshot.get('phase')}")]
    lines.append(f"version {snapshot.get('version')}  rules {snapshot.get('rules')}")
    lines += describe_prompt(snapshot.get("prompt") or {})
    if call := snapshot.get("call"):
        lines.append(f"CALL: {call}")
    lines += _joker(snapshot.get("joker") or {})
    lines += [line for box in snapshot.get("boxes", []) if box.get("in") for line in _box(box)]
    dealer = " ".join((snapshot.get("dealer") or {}).get("cards", []))
    if dealer:
        lines.append(f"dealer  {dealer}")
    lines += _standing(snapshot)
    lines += _devices(snapshot)
    lines += [
        f"waiting {one.get('id')}: {one.get('command')} for {one.get('missing')}" for one in snapshot.get("waiting", [])
    ]
    lines += [f"door {door}: {state}" for door, state in (snapshot.get("doors") or {}).items()]
    if off_s := snapshot.get("was_off_s"):
        lines.append(
            f"was off for {off_s // 3600} h {off_s // 60 % 60} min" if off_s > 0 else "was off, how long: unknown"
        )
    if lamps := snapshot.get("lamp_test"):
        lines.append(f"lamp test: {lamps}")
    lines += [_alarm(alarm) for alarm in snapshot.get("alarms", [])]
    health = snapshot.get("health") or {}
    lines += [f"port {port}: {reason}" for port, reason in (health.get("ports") or {}).items()]
    if health.get("not_recording"):
        lines.append("NOT RECORDING")
    journal = health.get("journal") or {}
    if degraded := journal.get("degraded"):
        lines.append(f"NO NEW HAND: the journal has one copy only ({degraded})")
    if head := journal.get("head"):
        lines.append(f"journal ends at record {journal.get('seq')}, head {head}")
    return lines + [f"warning: {warning}" for warning in health.get("warnings", ())]


def _devices(snapshot: dict[str, Any]) -> list[str]:
    """Each device, and what it was last in trouble with since it was there."""
    troubles = snapshot.get("troubles") or {}
    said = {name: f" ({one['code']}: {one['detail']})" for name, one in troubles.items()}
    return [f"device {name}: {health}{said.get(name, '')}" for name, health in (snapshot.get("devices") or {}).items()]


def _alarm(alarm: dict[str, Any]) -> str:
    return f"ALARM {alarm.get('id')}: {alarm.get('code')} {alarm.get('subject')}, {alarm.get('detail')}"


def _standing(snapshot: dict[str, Any]) -> list[str]:
    """What is not as usual: cards by hand, amounts that are not known, disputes, what was announced."""
    cards, entry, told = snapshot.get("cards", "shoe"), snapshot.get("stake_entry"), snapshot.get("announced") or {}
    lines = [] if cards == "shoe" else [f"cards: {cards}"]
    lines += [] if entry in (None, "before_deal") else [f"stakes: {entry}"]
    lines += [
        f"dispute: hand {one['hand']} box {one['box']}, {one['returned']} by the record ({one['reason']})"
        for one in snapshot.get("disputes", [])
    ]
    if told.get("from_hand"):
        plate = told["limits"]
        lines.append(f"limits from hand {told['from_hand']}: ante {plate['ante_min']} to {plate['ante_max']}")
    return [*lines, f"last hand: {told['last_hand']}"] if told.get("last_hand") else lines


def _joker(joker: dict[str, Any]) -> list[str]:
    if card := joker.get("card"):
        stands = f", stands for {joker['open_card']}" if joker.get("open_card") else ""
        return [f"joker {card}{stands}"]
    return [f"joker {joker.get('state')}, commitment {joker['commitment']}"] if joker.get("commitment") else []


def _box(box: dict[str, Any]) -> list[str]:
    amounts = [f"{name} {box[name]}" for name in ("bonus", "jackpot", "bet", "fee", "insurance") if box.get(name)]
    stakes = " ".join([f"ante {box.get('ante')}", *amounts])
    status = box.get("status", "")
    marks = [
        "blind" if box.get("blind") else "",
        "LATE BET" if box.get("late") else "",
        box.get("decision") or ("decides" if box.get("lit") else ""),
        f"changes {box['count']}" if box.get("count") else "",
        "" if status == "open" else status,
    ]
    parts = [f"box {box.get('box')}", stakes, " ".join(box.get("cards", [])), " ".join(filter(None, marks))]
    return ["  ".join(filter(None, parts)), *(f"  {_pay(line)}" for line in box.get("pay", ()))]


def _pay(line: dict[str, Any]) -> str:
    chips = f" ({line['chips']})" if line.get("chips") else ""
    return " ".join(filter(None, (line["stake"], line["say"], line.get("odds"), str(line["amount"])))) + chips


def describe_prompt(prompt: dict[str, Any]) -> list[str]:
    """The one next step, if the table asks for one."""
    return [f"prompt: {prompt.get('en', '')} ({prompt.get('code', '')})"] if prompt else []


def describe_outcome(outcome: Any) -> list[str]:
    """What a command brought."""
    if isinstance(outcome, dict) and "waiting" in outcome:
        waiting = outcome["waiting"]
        inner = waiting if isinstance(waiting, dict) else {"id": waiting, "missing": outcome.get("missing")}
        number, missing = inner.get("id"), inner.get("missing")
        return [f"waiting {number}: {missing} must agree (tablectl do approve id={number} --as OPERATOR)"]
    if isinstance(outcome, dict):
        return [f"{key}: {_plain(value)}" for key, value in outcome.items()] or ["done"]
    return [_plain(outcome)]


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
