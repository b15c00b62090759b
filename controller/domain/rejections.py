"""Why a command is refused, each with its number and its text for the operator in English and Russian.

A text may name boxes, counts, amounts and public cards, never a card that is face down (the rule of silence).
"""

from __future__ import annotations

from enum import Enum

import msgspec


class Why(Enum):
    """Number, English, Russian. `{...}` are filled from the rejection's arguments."""

    NOT_NOW = (501, "{command} is not possible now ({phase})", "{command}: сейчас нельзя ({phase})")
    STALE = (
        502,
        "the table has moved on: look again (hand {hand}, version {version})",
        "стол уже в другом состоянии: посмотрите снова (раздача {hand}, версия {version})",
    )
    NO_SUCH_BOX = (503, "there is no box {box}: boxes are 1 to {boxes}", "бокса {box} нет: боксы 1-{boxes}")
    NOT_THIS_BOX = (
        504,
        "box {box} is not the lit box: it is box {lit}'s turn",
        "бокс {box} не горит: очередь бокса {lit}",
    )
    NO_STAKE = (505, "no box has a stake: put at least one box in", "нет ни одной ставки: поставьте хотя бы один бокс")
    STAKE_RANGE = (
        506,
        "ante {ante} on box {box} is outside {low} to {high}",
        "анте {ante} на боксе {box} вне пределов {low}-{high}",
    )
    BONUS_RANGE = (507, "bonus {bonus} on box {box}: {high} at most", "бонус {bonus} на боксе {box}: не больше {high}")
    NO_BONUS = (508, "this game offers no bonus", "в этой игре бонуса нет")
    NO_JACKPOT = (509, "this table has no jackpot stake", "ставки на джекпот за этим столом нет")
    TOO_MANY_OPEN = (
        510,
        "player of box {owner} has {count} open boxes, {high} at most: make the others blind",
        "у игрока бокса {owner} открытых боксов {count}, можно {high}: остальные втёмную",
    )
    UNEQUAL = (
        511,
        "boxes of one player must carry equal antes (box {box})",
        "анте на боксах одного игрока должны быть равны (бокс {box})",
    )
    DECK_SHORT = (
        512,
        "{boxes} boxes could need more cards than the deck holds: {served} at most",
        "на {boxes} боксов карт может не хватить: не больше {served}",
    )
    NOT_PAIRED = (563, "{device} is not paired with this table", "{device}: нет пары с этим столом")
    DEVICE = (513, "{device} is not ready", "{device}: не готово")
    FEE_NOT_WHOLE = (
        514,
        "the fee of {fee} antes on an ante of {ante} is not a whole amount",
        "плата {fee} анте при анте {ante} не целая",
    )
    NOT_OFFERED = (515, "{what} is not offered in this game", "{what}: в этой игре нет")
    BLIND = (516, "box {box} plays blind: nothing but the bet", "бокс {box} играет втёмную: только ставка")
    EXCHANGE_COUNT = (517, "an exchange of {count} is not offered: {offered}", "обмена {count} карт нет: {offered}")
    CARDS_COMING = (518, "box {box} waits for its cards", "бокс {box} ждёт свои карты")
    MUST_BET = (519, "box {box} must bet after this exchange", "после такого обмена бокс {box} обязан играть")
    ONE_ACTION = (520, "box {box} has bought already: bet or fold", "бокс {box} уже покупал: ставка или пас")
    NOTHING_TO_UNDO = (
        521,
        "nothing to take back: a card or a turned box came after it",
        "отменять нечего: после этого была карта или открыт бокс",
    )
    NOT_DISCARDABLE = (
        522,
        "{card} is not one of the five cards dealt to box {box}",
        "{card} нет среди пяти сданных карт бокса {box}",
    )
    DISCARD_COUNT = (
        523,
        "box {box} threw away {count}: name exactly so many",
        "бокс {box} сбросил {count}: назовите столько",
    )
    TURN_FIRST = (524, "turn box {box} first", "сначала откройте бокс {box}")
    UNSETTLED = (525, "box {box} is not settled yet: {missing}", "бокс {box} ещё не рассчитан: {missing}")
    PUBLIC_CARD = (526, "{card} lies open on the table already", "{card} уже открыта на столе")
    DECK_FAULT = (527, "deck fault: call the supervisor", "колода неисправна: позовите инспектора")
    NOT_UNREAD = (528, "that card has been read", "эта карта уже прочитана")
    BAD_CARD = (529, "{card} is not a card of this game", "{card}: такой карты в этой игре нет")
    NO_DEALER = (530, "no dealer has signed on", "дилер не вошёл")
    NOT_OPEN = (531, "the table is closed", "стол закрыт")
    ALREADY_OPEN = (532, "the table is open already", "стол уже открыт")
    HAND_RUNNING = (533, "a hand is being played: between hands only", "идёт раздача: только между раздачами")
    NOT_ALLOWED = (534, "{operator} ({role}) may not do this", "{operator} ({role}): нет права")
    NO_WAITING = (535, "nothing waits under number {id}", "под номером {id} ничего не ждёт")
    SAME_PERSON = (536, "another person must agree", "должен согласиться другой человек")
    DRAWN_ONCE = (537, "the joker of this hand is drawn", "джокер этой раздачи уже выбран")
    NOT_ARMED = (538, "STOP does not count yet", "STOP ещё не действует")
    WAIT_STOP = (
        539,
        "the player presses STOP; you may draw after {seconds} s",
        "STOP нажимает игрок; вы - через {seconds} с",
    )
    JOKER_DARK = (540, "the board does not show the joker yet", "табло ещё не показало джокера")
    COUNT_DIFFERS = (
        541,
        "{counted} side bets counted, {side_bets} lit: a supervisor decides",
        "бонусов найдено {counted}, горит {side_bets}: решает инспектор",
    )
    BAD_ARGUMENT = (542, "{what}", "{what}")
    DECK_OUT = (543, "the deck is out of play: name another (deck)", "колода выведена: назовите другую (deck)")
    HELD_BOX = (544, "box {box} is disputed: a supervisor releases it", "бокс {box} спорный: решает инспектор")
    NOTHING_HELD = (545, "nothing is held", "ничего не задержано")
    SHARED_SUM = (
        546,
        "the backers of box {box} sum to {total}, the ante is {ante}",
        "доли бокса {box} дают {total}, анте {ante}",
    )
    UNSUPPORTED = (547, "this table cannot deal {what} yet", "этот стол пока не ведёт: {what}")
    NOT_RECORDING = (548, "NOT RECORDING: {what}", "ЗАПИСЬ НЕ ИДЁТ: {what}")
    ONE_COPY = (
        590,
        "no new hand: the journal has one copy only ({what})",
        "новой раздачи нет: журнал в одном экземпляре ({what})",
    )
    MACHINE = (
        593,
        "no new hand: supply or heat of the controller ({what})",
        "новой раздачи нет: питание или нагрев контроллера ({what})",
    )
    DECK_BARRED = (
        570,
        "deck {deck} is out of play for good: bring another one",
        "колода {deck} выведена насовсем: принесите другую",
    )
    TWO_DECKS = (
        571,
        "two decks serve this table already: name the one that goes (out)",
        "за столом уже две колоды: назовите, какую убрать (out)",
    )
    SHUFFLER_COUNTS = (
        572,
        "the shuffler counts deck {deck}: put it in",
        "колоду {deck} считает шаффл: вложите её",
    )
    CLOCK_BEHIND = (
        591,
        "the clock stands before the journal's last record ({when}): set it first",
        "часы отстают от последней записи журнала ({when}): сначала выставьте их",
    )
    HEAD_UNKNOWN = (
        592,
        "the journal has no record with the head {head}: mistyped, or an older copy",
        "в журнале нет записи с головой {head}: опечатка или старая копия",
    )
    NO_HIT = (552, "no jackpot hit {hit} waits", "джекпот {hit} не ждёт выплаты")
    JACKPOT_STAKE = (
        553,
        "the jackpot stake is {stake}, not {jackpot} (box {box})",
        "ставка на джекпот {stake}, а не {jackpot} (бокс {box})",
    )
    BONUS_SHARE = (
        583,
        "bonus {bonus} on box {box}: a royal would win no part of the meter; stakes: {stakes}",
        "бонус {bonus} на боксе {box}: для него нет доли джекпота; ставки: {stakes}",
    )
    INSURANCE_RANGE = (
        549,
        "insurance {amount} on box {box}: {low} to {high}",
        "страховка {amount} на боксе {box}: {low}-{high}",
    )
    INSURED = (
        550,
        "box {box} is insured: bet, or take the insurance back",
        "бокс {box} застрахован: ставка или снять страховку",
    )
    CARRIED = (
        551,
        "box {box} carries its stakes from a tie: they stay",
        "на боксе {box} ставки с ничьей: снять нельзя",
    )

    COUNT_BY_HAND = (
        554,
        "bet sensors cannot be read: count the side bets (EXTRA, digit, OK)",
        "датчики ставок не читаются: сосчитайте бонусы (EXTRA, цифра, OK)",
    )
    LAST_HAND = (562, "the last announced hand is played: close the table", "последняя раздача сыграна: закройте стол")
    DECLARED_WRONG = (
        560,
        "box {box}: {said} does not fit the dealer's hand or the game",
        "бокс {box}: {said} не подходит к руке дилера или к игре",
    )
    NEEDS_CARDS = (
        561,
        "box {box} has a side bet that its cards decide: enter them",
        "бокс {box}: бонус решают карты, введите их",
    )
    DOOR = (555, "close the door first: {door}", "сначала закройте: {door}")
    STUB_SHORT = (
        582,
        "box {box}: the deck has {left} card(s) left for draws",
        "бокс {box}: в колоде для обмена осталось карт: {left}",
    )
    PLAYER_PAID = (
        584,
        "box {paid} of the same player is paid, and one maximum payout is over both: hold box {box}",
        "бокс {paid} того же игрока оплачен, максимум у них общий: отложите бокс {box}",
    )
    NO_TRAINING = (580, "this table has no training", "обучения на этом столе нет")
    TRAINING_SO = (581, "the table is in that mode already", "стол уже в этом режиме")
    NO_ALARM = (556, "no alarm {alarm} waits", "тревога {alarm} не ждёт")

    @property
    def number(self) -> int:
        """The n of TC-0nnn."""
        return int(self.value[0])


class Rejection(msgspec.Struct, frozen=True):
    """A refusal. Changes nothing; goes on record as `Rejected`."""

    why: Why
    args: dict[str, object] = {}

    @property
    def code(self) -> str:
        """`TC-0nnn`."""
        return f"TC-{self.why.number:04d}"

    def text(self, language: str = "en") -> str:
        """The operator's text without its number."""
        template = self.why.value[2 if language == "ru" else 1]
        return str(template).format(**self.args)


def reject(why: Why, **args: object) -> Rejection:
    """A rejection with its arguments."""
    return Rejection(why, args)
