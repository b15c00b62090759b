"""The evidence pack as a page to print and to sign, in English or Russian. Pure; one file, no script, nothing loaded.

Every text is escaped: what came from a journal may be anything. A narrow screen gets a box's cells one below the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any, Final

import msgspec

from controller.cli.evidence_words import TEXTS, word
from controller.journal.codec import read_body
from controller.journal.evidence import Pack, dealer_of
from controller.journal.recall import SINGLE_PARTY

Facts = dict[str, Any]
Said = tuple[int, str, str, Facts]
"""A record of the hand: number, time label, type, public fields."""

_PLAIN: Final[Mapping[int, str]] = {}
_HANDS: Final = {1: " class=hand", 2: " class=hand"}
_FACTS: Final = {3: " class=long"}
STAKED: Final = ("ante", "bonus", "insurance", "jackpot")
STYLE: Final = (
    ":root{color-scheme:light}body{font:11pt/1.4 sans-serif;color:#000;background:#fff;max-width:60em;margin:1em auto;"
    "padding:0 1em}h1{font-size:1.4em}h2{font-size:1.1em;margin-top:1.5em}table{border-collapse:collapse;width:100%}"
    "td,th{border:1px solid #888;padding:.2em .5em;text-align:left;vertical-align:top}"
    ".head td,.long{overflow-wrap:anywhere}.hand{white-space:nowrap}th{background:#eee}.head th{width:12em}"
    "code{overflow-wrap:anywhere;font-size:.9em}"
    ".sign{margin-top:4em;border-top:1px solid;width:20em;max-width:100%;break-inside:avoid}"
    "@media screen and (max-width:48em){.head th{width:8em}.hand{white-space:normal}.cards{font-size:.75em}"
    ".cards *{padding:.2em}"
    ".rows thead{display:none}.rows tr{display:block;border:1px solid #888;margin-bottom:.5em}.rows td{display:flex;"
    "border:0}.rows td::before{content:attr(data-name);flex:0 0 9em;font-weight:bold}}"
    "@media print{body{max-width:none;margin:0;padding:0;font-size:9.5pt}thead{display:table-header-group}"
    "h2{break-after:avoid}tr{break-inside:avoid}}"
)


def page(pack: Pack, language: str, file: str, digest: str) -> str:
    """The whole page. `file` and `digest` name the JSON pack that it reads."""
    told = _Told(pack, language)
    say = told.say
    title = say["title"].format(hand=pack.hand, table=pack.table)
    how = say["how"].format(file=file, digest=digest)
    jackpot = list(told.jackpot())
    body = (
        f"<h1>{escape(title)}</h1>{_pairs(told.head())}"
        f"<h2>{say['boxes']}</h2>{told.boxes()}"
        + (f"<h2>{say['jackpot']}</h2>{_pairs(jackpot)}" if jackpot else "")
        + f"<h2>{say['draw']}</h2>{told.draw()}"
        f"<h2>{say['cards']}</h2>{told.cards()}"
        f"<h2>{say['overrides']}</h2>{told.overrides()}"
        f"<h2>{say['proof']}</h2><p>{_text(how)}</p><p><code>{escape(pack.public_key)}</code></p>"
        f"<p class=sign>{say['signature']}</p>"
    )
    head = (
        '<meta charset=utf-8><meta name=viewport content="width=device-width">'
        f"<title>{escape(title)}</title><style>{STYLE}</style>"
    )
    return f"<!doctype html><html lang={language}><head>{head}</head><body>{body}</body></html>\n"


class _Told:
    """One pack in one language, section by section."""

    def __init__(self, pack: Pack, language: str) -> None:
        self.pack, self.facts, self.language = pack, pack.facts, language
        self.say = TEXTS[language]
        self.records = list(_records(pack))

    def head(self) -> Iterator[tuple[str, str]]:
        """What the hand was: where, when, how it ended, who dealt, by which rules."""
        say, facts, pack = self.say, self.facts, self.pack
        ended = self._fields("HandEnded")
        reason = f": {ended['reason']}" if ended.get("reason") else ""
        yield say["table"], pack.table
        yield say["hand"], str(pack.hand)
        yield say["began"], _time(self.records[0][1]) if self.records else "-"
        yield say["ended"], _time(self.records[-1][1]) if self.records else "-"
        yield say["outcome"], self._word(facts["outcome"]) + reason
        yield say["dealer"], dealer_of(pack) or "-"
        yield say["rules"], _rules_of(pack)
        yield say["hash"], (facts["draw"] or {}).get("rules_hash") or "-"
        yield say["records"], f"{facts['records']['first']} - {facts['records']['last']}"
        yield say["journal"], pack.journal
        if devices := facts.get("untrusted"):
            yield say["untrusted"], ", ".join(devices)
        if ended.get("deferred"):
            yield say["deferred"], ", ".join(f"{say['box']} {box}" for box in ended["deferred"])

    def boxes(self) -> str:
        """What each box had and got; of a hand that was not settled, what lay on it."""
        say, answer = self.say, self.facts["answer"]
        if not answer:
            return self._staked()
        parts = [self._dealer(answer["dealer"])]
        if joker := self._joker(answer["dealer"]):
            parts.append(f"{say['joker']}: {joker}")
        parts.append(f"{say['house']}: {answer['house']:+}")
        return "".join(f"<p>{escape(part)}</p>" for part in parts) + self._settled(answer)

    def jackpot(self) -> Iterator[tuple[str, str]]:
        """The meter before and after the hand, and its hits."""
        say, moved = self.say, self._fields("MeterMoved")
        if moved:
            yield say["meter"], f"{moved['before'] or '-'} -> {moved['after']}"
        if moved.get("reserve", "0") != "0":
            yield say["reserve"], moved["reserve"]
        awarded = {fields["id"]: seq for seq, _, kind, fields in self.records if kind == "JackpotAwarded"}
        for _, _, kind, fields in self.records:
            if kind == "JackpotHit":
                text = say["awarded" if fields["id"] in awarded else "prize"]
                yield say["hit"].format(**fields), text.format(prize=fields["prize"], seq=awarded.get(fields["id"]))

    def draw(self) -> str:
        """Everything that a recomputation of the draw takes."""
        say, draw = self.say, self.facts["draw"]
        if not draw or not draw["commitment"]:
            return f"<p>{say['nothing']}</p>"
        told = {**draw, "witness": say["single"] if draw["witness"] == SINGLE_PARTY else draw["witness"]}
        return _pairs(
            (say[name], str(told[name] or "-")) for name in ("commitment", "seed", "witness", "slot", "shown")
        )

    def cards(self) -> str:
        """Each card as it was read."""
        say, cards = self.say, self.facts["cards"]
        if not cards:
            return f"<p>{say['no_cards']}</p>"
        names = [say[name] for name in ("record", "time", "place", "card", "device")]
        rows = [
            [
                str(card["seq"]),
                _time(card["t"]),
                self._place(card),
                card.get("card") or say["unread"],
                self._reader(card),
            ]
            for card in cards
        ]
        return _table(names, rows, "cards")

    def overrides(self) -> str:
        """Each record where somebody stepped in, with all its fields."""
        say = self.say
        if not self.facts["overrides"]:
            return f"<p>{say['none']}</p>"
        rows = []
        for entry in self.facts["overrides"]:
            own = {name: value for name, value in entry.items() if name not in ("seq", "t", "type") and value}
            said = ", ".join(f"{name} {_plain(value)}" for name, value in own.items())
            kind = entry["type"] if self.language == "en" else f"{self._word(entry['type'])} ({entry['type']})"
            rows.append([str(entry["seq"]), _time(entry["t"]), kind, said])
        return _table([say[name] for name in ("record", "time", "what", "facts")], rows, classes=_FACTS)

    def _dealer(self, dealer: Facts) -> str:
        say = self.say
        parts = [f"{say['dealers']}: {dealer['cards']}", self._made(dealer)]
        if after := dealer.get("after_exchange"):
            parts[-1] += f" -> {after['cards']}"
            parts.append(self._made(after))
        if "qualifies" in (after or dealer):
            parts.append(say["plays" if (after or dealer)["qualifies"] else "plays_not"])
        return ", ".join(part for part in parts if part)

    def _joker(self, dealer: Facts) -> str:
        """The joker; of DOC also the card that it was: the dealer's last."""
        shown = (self.facts["draw"] or {}).get("shown") or ""
        return self.say["open_card"].format(slot=shown, card=dealer["cards"].split()[-1]) if shown == "DOC" else shown

    def _settled(self, answer: Facts) -> str:
        say = self.say
        asked = {box["box"]: box for box in self.facts["request"]["boxes"]}
        names = ("box", "dealt", "final", "made", "decision", "stake", "net", "returned")
        rows = [self._row(box, asked[box["box"]]) for box in answer["boxes"]]
        there = {box["box"] for box in answer["boxes"]}
        for stake in self._fields("Locked").get(
            "stakes", ()
        ):  # a dead box is in no settlement, its stakes are on record
            if stake["box"] not in there:
                rows.append([str(stake["box"]), "", "", "", say["dead"], self._stakes_at_lock(stake), "0", ""])
        return _table([say[name] for name in names], sorted(rows, key=lambda row: int(row[0])), classes=_HANDS)

    def _row(self, box: Facts, asked: Facts) -> list[str]:
        say = self.say
        stakes = [self._stake(name, stake) for name, stake in box["stakes"].items()]
        if box.get("cut_by_cap"):
            stakes.append(f"{say['cut']} {box['cut_by_cap']}")
        if box.get("shares"):
            stakes.append(f"{say['shares']} {_plain(box['shares'])}")
        flags = [name for name in ("blind", "carried", "buy_dealer") if asked.get(name)]
        did = [asked[name] for name in ("action", "decision") if asked.get(name) not in (None, "none")]
        decision = ", ".join(self._word(name) for name in (*flags, *did))
        final = box.get("final") or (f"{say['drawn']}: {box['drawn']}" if box.get("drawn") else "")
        return [
            str(box["box"]), box.get("cards", ""), final, self._made(box), decision, "; ".join(stakes),
            f"{box['net']:+}", str(box["returned"]),
        ]  # fmt: skip

    def _made(self, hand: Facts) -> str:
        said = " + ".join(self._word(hand[name]) for name in ("hand", "second") if hand.get(name))
        return f"{said} ({self.say['declared']})" if hand.get("declared") else said

    def _stake(self, name: str, stake: Facts) -> str:
        odds = f" {stake['odds']}" if stake.get("odds") else ""
        excess = f", {self.say['excess']} {stake['excess']}" if stake.get("excess") else ""
        if stake["outcome"] == "fee":
            return f"{self._word(name)} {stake['profit']:+}"
        ended = self._word(stake["outcome"])
        return f"{self._word(name)} {stake['staked']}: {ended}{odds} {stake['profit']:+}{excess}"

    def _staked(self) -> str:
        say, stakes = self.say, self._fields("Locked").get("stakes", ())
        if not stakes:
            return f"<p>{say['no_stakes']}</p>"
        rows = [[str(stake["box"]), self._stakes_at_lock(stake), self._paid(stake["box"])] for stake in stakes]
        return f"<p>{say['open']}</p>{_table([say['box'], say['stake'], say['before']], rows)}"

    def _paid(self, box: int) -> str:
        """A hand may become void when some boxes were paid already: what they got, and which record says so."""
        told = {kind: (seq, fields) for seq, _, kind, fields in self.records if fields.get("box") == box}
        if "BoxPaid" not in told or "BoxSettled" not in told:
            return "-"
        answer = told["BoxSettled"][1]["answer"]
        return self.say["paid"].format(seq=told["BoxPaid"][0], net=f"{answer['net']:+}", returned=answer["returned"])

    def _stakes_at_lock(self, stake: Facts) -> str:
        return "; ".join(f"{self._word(name)} {stake[name]}" for name in STAKED if stake.get(name))

    def _place(self, card: Facts) -> str:
        box = f" {card['box']}" if card.get("box") else ""
        return f"{self._word(card['place'])}{box}, {self.say['nth']} {card['index'] + 1}"

    def _reader(self, card: Facts) -> str:
        if card["entered"]:
            return self.say["entered"]
        reader = " ".join(str(card[name]) for name in ("device", "event_no", "reason") if card.get(name))
        return reader if card.get("trusted", True) else f"{reader} ({self.say['unproved']})"

    def _fields(self, kind: str) -> Facts:
        """The public fields of the last record of that type; none where there is no such record."""
        return next((fields for _, _, told, fields in reversed(self.records) if told == kind), {})

    def _word(self, name: str) -> str:
        return word(self.language, name)


def _records(pack: Pack) -> Iterator[Said]:
    for stored in pack.records:
        body = read_body(stored.body.encode())
        if body.hand == pack.hand:
            yield body.seq, body.t, body.type, msgspec.json.decode(body.data)


def _rules_of(pack: Pack) -> str:
    """The id of the rules in force, from the TableOpened that goes with the pack."""
    if not pack.rules:
        return "-"
    opened: Facts = msgspec.json.decode(read_body(pack.rules[0].body.encode()).data)
    return str(opened.get("rules_id", "-"))


def _plain(value: Any) -> str:
    return " ".join(str(item) for item in value) if isinstance(value, list | tuple) else str(value)


def _time(label: str) -> str:
    """With a blank to break the line at."""
    return label.replace("T", " ", 1)


def _text(text: str) -> str:
    return f"<span class=long>{escape(text)}</span>"


def _pairs(rows: Iterable[tuple[str, str]]) -> str:
    lines = (f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in rows)
    return f"<table class=head>{''.join(lines)}</table>"


def _table(names: list[str], rows: Iterable[list[str]], kind: str = "rows", classes: Mapping[int, str] = _PLAIN) -> str:
    """`classes`: of columns, by their place."""
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    lines = []
    for row in rows:
        cells = (
            f'<td data-name="{escape(name)}"{classes.get(at, "")}>{escape(text)}</td>'
            for at, (name, text) in enumerate(zip(names, row, strict=True))
        )
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table class={kind}><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
