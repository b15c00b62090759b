"""The evidence pack as a page to print and to sign, in English or Russian. Pure; one file, no script, nothing loaded.

Every text is escaped: what came from a journal may be anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any, Final

from controller.journal.evidence import Pack, dealer_of
from controller.journal.recall import SINGLE_PARTY

TEXTS: Final[dict[str, dict[str, str]]] = {
    "en": {
        "title": "Evidence: hand {hand}, table {table}", "hand": "Hand", "table": "Table", "outcome": "Outcome",
        "dealer": "Dealer", "rules": "Rules (hash)", "records": "Records",
        "boxes": "Boxes", "box": "Box", "dealt": "Dealt", "final": "Final", "made": "Hand made", "decision": "Decision",
        "stake": "Stake", "net": "Net",
        "returned": "Returned",
        "dealers": "Dealer's cards", "draw": "Draw of the joker", "nothing": "No draw in this hand.",
        "commitment": "Commitment", "seed": "Seed", "witness": "Witness", "slot": "Drawn", "shown": "Shown",
        "cards": "Cards in the order of reading", "time": "Time (label)", "place": "Place", "card": "Card",
        "device": "Reader", "entered": "by hand", "overrides": "Where people or faults stepped in",
        "none": "Nowhere.", "proof": "How to check this page", "signature": "Date, name, signature",
        "single": "SINGLE_PARTY (the house's seed alone)",
        "how": "The page is a reading of {file} (SHA-256 {digest}). That file holds the records of the hand as they "
        "were stored, and the signatures before and behind them. With any copy of the program: tablectl evidence "
        "--verify {file} --key KEY, where KEY is the public key on the table's opening sheet. It must be:",
        "journal": "Journal", "open": "unsettled: no money moved by this record",
    },
    "ru": {
        "title": "Материалы раздачи {hand}, стол {table}", "hand": "Раздача", "table": "Стол", "outcome": "Исход",
        "dealer": "Дилер", "rules": "Правила (хеш)", "records": "Записи",
        "boxes": "Боксы", "box": "Бокс", "dealt": "Сдано", "final": "Итог", "made": "Комбинация", "decision": "Решение",
        "stake": "Ставка", "net": "Итого",
        "returned": "Возвращено", "dealers": "Карты дилера", "draw": "Розыгрыш джокера",
        "nothing": "В этой раздаче джокер не разыгрывался.", "commitment": "Обязательство", "seed": "Зерно",
        "witness": "Свидетель", "slot": "Выпало", "shown": "Показано", "cards": "Карты в порядке считывания",
        "time": "Время (пометка)", "place": "Место", "card": "Карта", "device": "Считыватель", "entered": "вручную",
        "overrides": "Вмешательства людей и сбои", "none": "Не было.", "proof": "Как проверить эту страницу",
        "signature": "Дата, имя, подпись", "single": "SINGLE_PARTY (только зерно казино)",
        "how": "Страница прочитана из файла {file} (SHA-256 {digest}). В нём записи раздачи в том виде, как они "
        "хранятся, и подписи до и после них. Любой копией программы: tablectl evidence --verify {file} --key KEY, где "
        "KEY — открытый ключ с листа открытия стола. Он должен быть таким:",
        "journal": "Журнал", "open": "не рассчитана: по этой записи деньги не двигались",
    },
}  # fmt: skip

STYLE: Final = (
    "body{font:11pt/1.4 sans-serif;max-width:60em;margin:1em auto;padding:0 1em}h1{font-size:1.4em}h2{font-size:1.1em;"
    "margin-top:1.5em}table{border-collapse:collapse;width:100%}td,th{border:1px solid #888;padding:.2em .5em;"
    "text-align:left;vertical-align:top}code{overflow-wrap:anywhere;font-size:.9em}.sign{margin-top:4em;border-top:1px "
    "solid;width:20em}@media print{h2{break-after:avoid}tr{break-inside:avoid}}"
)


def page(pack: Pack, language: str, file: str, digest: str) -> str:
    """The whole page. `file` and `digest` name the JSON pack that it reads."""
    say, facts = TEXTS[language], pack.facts
    title = say["title"].format(hand=pack.hand, table=pack.table)
    how = say["how"].format(file=file, digest=digest)
    body = (
        f"<h1>{escape(title)}</h1>{_table(_head(pack, say))}"
        f"<h2>{say['boxes']}</h2>{_boxes(facts, say)}"
        f"<h2>{say['draw']}</h2>{_draw(facts['draw'], say)}"
        f"<h2>{say['cards']}</h2>{_cards(facts['cards'], say)}"
        f"<h2>{say['overrides']}</h2>{_overrides(facts['overrides'], say)}"
        f"<h2>{say['proof']}</h2><p>{escape(how)}</p><p><code>{escape(pack.public_key)}</code></p>"
        f"<p class=sign>{say['signature']}</p>"
    )
    head = f"<meta charset=utf-8><title>{escape(title)}</title><style>{STYLE}</style>"
    return f"<!doctype html><html lang={language}><head>{head}</head><body>{body}</body></html>\n"


def _head(pack: Pack, say: dict[str, str]) -> Iterable[list[str]]:
    facts = pack.facts
    first, last = facts["records"]["first"], facts["records"]["last"]
    draw = facts["draw"] or {}
    yield [say["table"], pack.table]
    yield [say["hand"], str(pack.hand)]
    yield [say["outcome"], facts["outcome"]]
    yield [say["dealer"], dealer_of(pack) or "-"]
    yield [say["rules"], f"{(facts['request'] or {}).get('rules', '-')} ({draw.get('rules_hash') or '-'})"]
    yield [say["records"], f"{first} - {last}"]
    yield [say["journal"], pack.journal]


def _boxes(facts: dict[str, Any], say: dict[str, str]) -> str:
    answer = facts["answer"]
    if not answer:
        return f"<p>{say['open']}</p>"
    dealer, asked = answer["dealer"], {box["box"]: box for box in facts["request"]["boxes"]}
    rows = [[say[name] for name in ("box", "dealt", "final", "made", "decision", "stake", "net", "returned")]]
    for box in answer["boxes"]:
        stakes = "; ".join(_stake(name, stake) for name, stake in box["stakes"].items())
        decision = " ".join(str(asked[box["box"]].get(word, "")) for word in ("action", "decision")).strip()
        rows.append([
            str(box["box"]), box.get("cards", ""), box.get("final", ""), box.get("hand") or "", decision, stakes,
            str(box["net"]), str(box["returned"]),
        ])  # fmt: skip
    line = f"{say['dealers']}: {dealer['cards']}, {dealer.get('hand') or '-'}"
    if dealer.get("after_exchange"):
        line += f" -> {dealer['after_exchange']['cards']}, {dealer['after_exchange']['hand']}"
    return f"<p>{escape(line)}</p>{_table(rows, head=True)}"


def _stake(name: str, stake: dict[str, Any]) -> str:
    odds = f" {stake['odds']}" if stake.get("odds") else ""
    return f"{name} {stake['staked']}: {stake['outcome']}{odds} {stake['profit']:+}"


def _draw(draw: dict[str, Any] | None, say: dict[str, str]) -> str:
    if not draw or not draw["commitment"]:
        return f"<p>{say['nothing']}</p>"
    told = {**draw, "witness": say["single"] if draw["witness"] == SINGLE_PARTY else draw["witness"]}
    names = ("commitment", "seed", "witness", "slot", "shown")
    return _table([say[name], str(told[name] or "-")] for name in names)


def _cards(cards: list[dict[str, Any]], say: dict[str, str]) -> str:
    rows = [[say["records"], say["time"], say["place"], say["card"], say["device"]]]
    for card in cards:
        place = f"{card['place']} {card.get('box') or ''} [{card['index'] + 1}]"
        reader = say["entered"] if card["entered"] else f"{card.get('device', '')} {card.get('event_no', '')}"
        rows.append([str(card["seq"]), card["t"], place, card.get("card", "-"), reader])
    return _table(rows, head=True)


def _overrides(entries: list[dict[str, Any]], say: dict[str, str]) -> str:
    if not entries:
        return f"<p>{say['none']}</p>"
    rows = []
    for entry in entries:
        own = {name: value for name, value in entry.items() if name not in ("seq", "t", "type") and value}
        said = ", ".join(f"{name} {value}" for name, value in own.items())
        rows.append([str(entry["seq"]), entry["t"], entry["type"], said])
    return _table(rows)


def _table(rows: Iterable[list[str]], *, head: bool = False) -> str:
    lines = []
    for at, row in enumerate(rows):
        cell = "th" if head and at == 0 else "td"
        lines.append("<tr>" + "".join(f"<{cell}>{escape(text)}</{cell}>" for text in row) + "</tr>")
    return f"<table>{''.join(lines)}</table>"
