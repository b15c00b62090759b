"""The one clear next step, numbered, in English and Russian, and as four lines of twenty for the text display."""

from __future__ import annotations

import msgspec

from controller.domain.decks import Waits
from controller.domain.hand import by_hand, dealer
from controller.domain.hand.betting import last_is_played
from controller.domain.hand.expects import BONUS, Expect, Want
from controller.domain.hand.setup import Setup, Training
from controller.domain.phases import Health, Phase
from controller.domain.state import SHUFFLER, UNPAIRED, CardSource, Cause, Hand, Table


class Prompt(msgspec.Struct, frozen=True):
    """Number and texts of the next step."""

    code: str
    en: str
    ru: str


# Number, English, Russian. {b} box, {n} a count, {i} a card's place from 1, {d} a detail, {r} one of _REFUSES.
_TEXTS: dict[str, tuple[int, str, str]] = {
    "open": (801, "Table closed: dealer and supervisor open it", "Стол закрыт: открывают дилер и инспектор"),
    "deck": (802, "Deck out of play: supervisor names another deck", "Колода выведена: инспектор назовёт другую"),
    "start": (803, "Bets open: boxes in or out, then START", "Ставки: боксы, затем START"),
    "start_ok": (804, "Bets open: boxes in or out, then OK", "Ставки: боксы, затем OK"),
    "count": (805, "Side bets differ from the lit count: supervisor", "Число бонусов не сходится: инспектор"),
    "card_box": (806, "Card {i} to box {b}", "Карта {i} на бокс {b}"),
    "card_dealer": (807, "Card {i} to the dealer", "Карта {i} дилеру"),
    "card_draw": (808, "Box {b} draws: {n} to come", "Бокс {b} берёт: ещё {n}"),
    "stop": (809, "Player presses STOP for the joker", "Игрок нажимает STOP: джокер"),
    "stop_late": (810, "STOP timed out: dealer presses START to draw", "STOP не нажат: дилер нажимает START"),
    "board": (811, "Joker drawn: wait for the board", "Джокер выбран: ждите табло"),
    "board_dead": (838, "Board dead: repair it, or supervisor: announce joker",
                   "Табло молчит: чинить или объявить (инспектор)"),
    "entry_box": (812, "Box {b}, card {i} is unread: enter it, supervisor confirms",
                  "Бокс {b}, карта {i} не прочитана: введите, инспектор подтвердит"),
    "entry_dealer": (813, "Dealer's card {i} is unread: enter it, supervisor confirms",
                     "Карта дилера {i} не прочитана: введите, инспектор подтвердит"),
    "decision": (814, "Box {b} decides", "Решает бокс {b}"),
    "decision_limit": (856, "Box {b} decides; {n} card(s) left for draws", "Решает бокс {b}; карт для обмена: {n}"),
    "card_burn": (826, "Burn a card", "Сожгите карту"),
    "reveal": (815, "All decided: turn the dealer's cards, OK", "Все решили: откройте карты дилера, OK"),
    "turn": (816, "Turn box {b}: OK", "Откройте бокс {b}: OK"),
    "turn_bonus": (857, "Bonus may win: box {b} shows its dealt cards: OK", "Бонус: бокс {b} открывает карты: OK"),
    "paid_bonus": (858, "Box {b}: pay its bonus, then OK", "Бокс {b}: выплата бонуса, затем OK"),
    "discards": (817, "Box {b}: name {n} card(s) that are not on the felt", "Бокс {b}: назовите сброшенные ({n})"),
    "discard_check": (818, "Box {b}: supervisor checks the discards", "Бокс {b}: инспектор проверяет сброс"),
    "paid": (819, "Box {b}: pay as shown, then OK", "Бокс {b}: выплата, затем OK"),
    "rest": (820, "DEALER DOES NOT PLAY: ante 1:1, bets back, OK", "ДИЛЕР НЕ ИГРАЕТ: анте 1:1, ставки назад, OK"),
    "award": (827, "JACKPOT box {b}: {n} frozen: award {i}", "ДЖЕКПОТ бокс {b}: {n}: подтвердите {i}"),
    "rest_back": (829, "DEALER DOES NOT PLAY: antes and bets back, OK", "ДИЛЕР НЕ ИГРАЕТ: анте и ставки назад, OK"),
    "release": (821, "Box {b} is disputed: supervisor releases it", "Бокс {b} спорный: решает инспектор"),
    "card_dealer_draw": (824, "The dealer's bought card", "Купленная карта дилера"),
    "choice": (825, "DEALER HAS NO GAME: box {b}: ante BET, buy EXTRA", "НЕТ ИГРЫ: бокс {b}: анте BET, купить EXTRA"),
    "deal": (830, "Deal by hand: {n} cards in seat order, then OK", "Сдайте рукой: карт {n}, затем OK"),
    "decision_draw": (831, "Box {b}: deal {n} by hand, then it decides", "Бокс {b}: сдайте рукой {n}, затем решает"),
    "hand_serve": (837, "Box {b}: deal {n} by hand, then OK", "Бокс {b}: сдайте рукой {n}, затем OK"),
    "hand_open": (832, "Dealer's open card: lay it, enter it", "Открытая карта дилера: положите и введите"),
    "hand_dealer": (833, "Turn the dealer's cards: enter card {i}", "Откройте карты дилера: введите карту {i}"),
    "hand_dealer_draw": (834, "Dealer's bought card by hand: enter it", "Купленная карта дилера: сдайте и введите"),
    "hand_box": (835, "Box {b}: enter dealt card {i}", "Бокс {b}: введите сданную карту {i}"),
    "hand_draw": (836, "Box {b}: enter drawn card {i}", "Бокс {b}: введите прикупленную карту {i}"),
    "declare": (839, "Box {b}: declare its hand, and who wins", "Бокс {b}: назовите руку и кто выиграл"),
    "declare_dealer": (850, "Turn the dealer's cards: declare his hand", "Откройте карты дилера: назовите руку"),
    "stake": (851, "Box {b}: name its ante (chips), then OK", "Бокс {b}: анте фишками, затем OK"),
    "next": (852, "Joker shown; START ends the hand", "Джокер показан; START: конец раздачи"),
    "deck_bring": (841, "No deck: supervisor brings one (deck)", "Нет колоды: инспектор приносит (deck)"),
    "deck_offered": (842, "Deck {p} in shuffler: supervisor accepts it?", "В шаффле {p}: принимает инспектор?"),
    "deck_life": (843, "Deck life is over: supervisor names a new one", "Срок колоды вышел: инспектор, новая"),
    "shuffle_put_in": (844, "Put deck {p} into the shuffler", "Вложите колоду {p} в шаффл"),
    "shuffle_wait": (845, "Shuffler counts deck {p}: wait", "Шаффл считает {p}: ждите"),
    "shuffle_take_out": (846, "Deck {p} from the shuffler to the shoe", "Выньте {p} из шаффла, в шуз"),
    "shuffle_failed": (847, "Shuffle failed: take deck {p} out, put it in", "Сбой шаффла: выньте {p}, вложите снова"),
    "shuffle_absent": (848, "Shuffler not connected: cable; or supervisor", "Шаффл не отвечает: кабель; инспектор"),
    "shuffle_distrusted": (862, "Shuffler not trusted: two people look; alarm",
                           "Шаффлу нельзя верить: смотрят двое; тревога"),
    "stub": (849, "Count the stub: {n} cards? OK, else EXTRA", "Остаток: {n} карт? OK, иначе EXTRA"),
    "last_hand": (853, "Last hand is played: close the table", "Последняя раздача сыграна: закройте стол"),
    "nothing": (822, "Wait", "Ждите"),
    "reader": (840, "Reader not connected: check its cable; deal no card", "Сканер не отвечает: карты не раздавать"),
    "shoe": (823, "Shoe not connected: check its cable; the hand waits", "Шуз не отвечает: проверьте кабель"),
    "shoe_unpaired": (860, "Shoe not paired: close the table, tablectl pair",
                      "Шуз без пары: закройте стол, tablectl pair"),
    "shoe_refuses": (861, "Shoe gives no card: {r}. Put it right", "Шуз не даёт карту: {r}. Исправьте"),
    "shuffler_unpaired": (864, "Shuffler not paired: tablectl pair; or supervisor",
                          "Шаффл без пары: tablectl pair или инспектор"),
    "shuffler_refuses": (863, "Shuffler does nothing: {r}. Put it right", "Шаффл не работает: {r}. Исправьте"),
}  # fmt: skip

_REFUSES: dict[str, tuple[str, str]] = {
    "lid_open": ("lid open", "крышка открыта"),
    "jam": ("card jam", "застряла карта"),
    "log_full": ("memory full", "память полна"),
    "refused": ("no reason", "без причины"),
}
_SHOWS_SHUFFLER = (str(Waits.ABSENT), str(Waits.WAIT))
"""Where the deck waits for the machine and nobody else; a failed shuffle says already what people do."""

_CAUSES: dict[Cause, tuple[int, str, str]] = {
    Cause.EARLY_CARD: (312, "Card before LOCK: supervisor decides; the deck is changed",
                       "Карта до закрытия ставок: инспектор; колода меняется"),
    Cause.EXTRA_CARD: (313, "A card too many was drawn: supervisor (resume burns it)",
                       "Лишняя карта: инспектор (сжечь)"),
    Cause.DOUBLE_FEED: (343, "Two cards at once: burn both unseen; supervisor",
                        "Вышли две карты: обе сжечь, не глядя; инспектор"),
    Cause.DECK_FAULT: (314, "Deck fault: call the supervisor; nobody looks", "Колода неисправна: инспектор"),
    Cause.TOO_MANY_UNREAD: (315, "Too many unread cards: supervisor decides", "Много непрочитанных карт: инспектор"),
    Cause.DECLARED: (316, "Irregularity declared: supervisor decides", "Нарушение: решает инспектор"),
    Cause.SIDE_BETS: (317, "Side bets differ: supervisor decides", "Бонусы не сходятся: инспектор"),
    Cause.CARDS_LOST: (318, "Shoe lost {n} card(s): supervisor resets; they are unknown",
                       "Шуз потерял карт: {n}, инспектор"),
    Cause.READS_DOUBTED: (341, "Reader in doubt: supervisor counts the cards not read",
                          "Сбой сканера: инспектор считает непрочитанные карты"),
    Cause.EVENT_DIFFERS: (319, "Shoe contradicts the journal: supervisor ({d})", "Шуз против журнала: инспектор ({d})"),
    Cause.DEVICE_CHANGED: (320, "Another device in mid-hand: supervisor ({d})", "Другое устройство: инспектор ({d})"),
    Cause.BOARD: (321, "Joker board wrong: repair, supervisor resets, no new draw",
                  "Табло неисправно: починить, инспектор; выбор тот же"),
    Cause.READINGS_DIFFER: (322, "Two readings of the rules differ: pay none, void the hand",
                            "Два расчёта не сошлись: не платить, отменить раздачу"),
    Cause.UNSETTLED: (328, "No rule settles this hand: pay none, void it ({d})", "Нет расчёта: отменить ({d})"),
    Cause.SEED: (325, "Seed is not the promised one: no joker, void hand",
                 "Зерно не то, что обещано: отменить раздачу"),
    Cause.PROGRAM: (324, "Program error: stop, call the technician ({d})", "Ошибка программы: позовите техника ({d})"),
    Cause.DOOR: (333, "Door open: close it, the hand goes on by itself",
                 "Дверца открыта: закройте, раздача пойдёт дальше"),
    Cause.OLD_JOURNAL: (342, "Shoe knows more than the journal: an old copy? Supervisor",
                        "Шуз знает больше журнала: старая копия? Инспектор"),
    Cause.SHOE: (323, "Shoe cannot be trusted: supervisor ({d})", "Шузу нельзя верить: инспектор ({d})"),
}  # fmt: skip


def prompt(table: Table, want: Expect, setup: Setup) -> Prompt:
    """The next step."""
    hand = table.hand
    number, en, ru = _text(table, want, setup)
    detail = hand.detail if hand else ""
    lost = hand.lost if hand else 0
    left = dealer.cards_for_draws(hand, setup) if hand and number == _TEXTS["decision_limit"][0] else 0
    values = {"b": want.box, "n": want.count or lost or left, "i": want.index + 1, "d": detail, "p": want.place}
    why = _REFUSES.get(table.refuses(SHUFFLER if want.kind is Want.SHUFFLE else setup.source), ("", ""))
    return Prompt(f"TC-{number:04d}", en.format(**values, r=why[0]), ru.format(**values, r=why[1]))


def _text(table: Table, want: Expect, setup: Setup) -> tuple[int, str, str]:
    hand = table.hand
    cause = None
    if want.kind is Want.SUPERVISOR and hand is not None:
        cause = hand.fault_cause if hand.phase is Phase.FAULT else hand.cause
    return _TEXTS[_key(table, want, setup)] if cause is None else _CAUSES[cause]


def _serves(table: Table, setup: Setup) -> bool:
    """Whether bets can be closed, as far as the device that gives the cards is concerned."""
    here = table.devices.get(setup.source, Health.ABSENT) in (Health.READY, Health.DEGRADED)
    return here or table.cards is not CardSource.SHOE


def _gives_none(table: Table, setup: Setup) -> bool:
    return bool(table.refuses(setup.source)) or not _serves(table, setup)


def _missing(table: Table, setup: Setup) -> str:
    return _refusal(table, setup.source) if table.refuses(setup.source) else setup.source


def _refusal(table: Table, device: str) -> str:
    return f"{device}_unpaired" if table.refuses(device) == UNPAIRED else f"{device}_refuses"


def _pushes(hand: Hand, setup: Setup) -> bool:
    """Whether antes go back unpaid: the house's rule (Q3), or a bought card that did not help (Q38)."""
    rules = setup.rules
    return (rules.dealer_exchange_fail_ante if hand.bought else rules.ante_on_no_qualify) == "push"


def _key(table: Table, want: Expect, setup: Setup) -> str:
    hand = table.hand
    match want.kind:
        case Want.DECK if want.cause in ("bring", "offered", "life"):
            return f"deck_{want.cause}"
        case Want.SHUFFLE if want.cause in _SHOWS_SHUFFLER and table.refuses(SHUFFLER):
            return _refusal(table, SHUFFLER)
        case Want.SHUFFLE:
            return f"shuffle_{want.cause}"
        case Want.START if hand is not None and last_is_played(table, hand):
            return "last_hand"
        case Want.START if not _serves(table, setup):
            return _missing(table, setup)
        case Want.START:
            return "start" if setup.joker else "start_ok"
        case Want.CARD:
            return _missing(table, setup) if _gives_none(table, setup) else f"card_{want.place}"
        case Want.STOP:
            return "stop_late" if hand is not None and hand.stop_late else "stop"
        case Want.DECISION if want.count:
            return "decision_draw"
        case Want.DECLARE if not want.box:
            return "declare_dealer"
        case Want.DECISION if setup.rules.stub_policy == "announced_limit":
            return "decision_limit"
        case Want.TURN | Want.PAID if want.cause == BONUS:
            return f"{want.kind}_bonus"
        case Want.DEAL if want.place == "draw":
            return "hand_serve"
        case Want.BOARD if table.devices.get("board", Health.ABSENT) is not Health.READY:
            return "board_dead"
        case Want.ENTRY if hand is not None and by_hand.place_by_hand(hand, want.place, want.box, want.index):
            return "hand_open" if hand.phase is Phase.DEALING else f"hand_{want.place}"
        case Want.ENTRY:
            return "entry_dealer" if want.place.startswith("dealer") else "entry_box"
        case Want.REST if hand is not None and _pushes(hand, setup):
            return "rest_back"
        case kind:
            return str(kind)


WIDTH = 20
TRAINING = {"en": "TRAINING", "ru": "ОБУЧЕНИЕ"}
"""Stands in the display's first line for the table's name: nothing on the felt counts."""


def wrapped(text: str) -> tuple[str, ...]:
    """Lines of twenty, broken at blanks."""
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()[:WIDTH]
    return (*lines, line)


_CALLS = {"dealer": "дилер", "fill": "фишки", "cards": "карты", "dispute": "спор", "shuffler line": "линия шаффла",
          "power or heat": "питание, жар"}  # fmt: skip


def headline(table: Table, setup: Setup, language: str) -> str:
    """The display's first line: what must be seen first, else hand and phase; in a training always that it is one."""
    plain, first = _headline(table, language)
    name = TRAINING[language] if setup.training is Training.RUNNING else "" if first else setup.table
    return f"{name} {first or plain}".lstrip()


def _headline(table: Table, language: str) -> tuple[str, str]:
    """Hand and phase; and what must be seen before them, if there is such a thing."""
    hand = table.hand
    russian = language == "ru"
    plain = f"#{hand.number} {hand.phase}" if hand else "closed"
    if hand is not None and hand.late:
        boxes = " ".join(str(box) for box in hand.late)
        return plain, f"ПОЗДНЯЯ СТАВКА {boxes}" if russian else f"LATE BET BOX {boxes}"
    if hand is not None and hand.announced:
        return plain, f"#{hand.number} JOKER {hand.slot}"
    if table.doors:
        return plain, "ДВЕРЦА ОТКРЫТА" if russian else "DOOR OPEN"
    if table.call:
        reason = _CALLS.get(table.call, table.call) if russian else table.call
        return plain, f"{'ВЫЗОВ' if russian else 'CALL'}: {reason.upper()}"[:WIDTH]
    if table.door_marks:
        return plain, "ДВЕРЦУ ОТКРЫВАЛИ" if russian else "DOOR WAS OPENED"
    return plain, ""


def display(table: Table, shown: Prompt, setup: Setup, language: str) -> tuple[str, str, str, str]:
    """Four lines of twenty: hand and phase (or what must be seen first), then the prompt."""
    first = headline(table, setup, language)
    lines = (first[:WIDTH], *wrapped(shown.ru if language == "ru" else shown.en), "", "", "")
    return (lines[0], lines[1], lines[2], lines[3])
