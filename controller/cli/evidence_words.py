"""Words of the evidence page in English and Russian: its headings, and the closed sets that records name things by."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, dict[str, str]]] = {
    "en": {
        "title": "Evidence: hand {hand}, table {table}", "hand": "Hand", "table": "Table", "outcome": "Outcome",
        "dealer": "Dealer", "rules": "Rules", "hash": "Hash of the rules", "records": "Records", "record": "Record",
        "began": "Began (label)", "ended": "Ended (label)", "joker": "Joker of the hand", "open_card": "{slot}: {card}",
        "boxes": "Boxes", "box": "Box", "dealt": "Dealt", "final": "Final", "made": "Hand made", "decision": "Decision",
        "stake": "Stakes", "net": "Net", "returned": "Returned", "house": "House, all boxes (jackpot apart)",
        "dealers": "Dealer's cards", "plays": "the dealer plays", "plays_not": "the dealer does not play",
        "declared": "declared by people", "excess": "handed back", "cut": "cut by the maximum payout",
        "shares": "shares", "drawn": "drawn",
        "dead": "void: the stakes go back",
        "draw": "Draw of the joker", "nothing": "No draw in this hand.",
        "commitment": "Commitment", "seed": "Seed", "witness": "Witness", "slot": "Drawn", "shown": "Shown",
        "cards": "Cards in the order of reading", "no_cards": "None was read.", "time": "Time (label)",
        "place": "Place", "nth": "card", "card": "Card", "device": "Reader", "entered": "by hand", "unread": "not read",
        "jackpot": "Jackpot", "meter": "Meter", "reserve": "Reserve", "hit": "Hit {id}, box {box}", "prize": "{prize}",
        "awarded": "{prize}, awarded in record {seq}", "deferred": "Still disputed at the end",
        "overrides": "Where people or faults stepped in", "none": "Nowhere.",
        "what": "What", "facts": "Facts", "proof": "How to check this page", "signature": "Date, name, signature",
        "single": "SINGLE_PARTY (the house's seed alone)", "unproved": "untrusted",
        "untrusted": "Cards from a reader that cannot prove who it is (untrusted)",
        "how": "The page is a reading of {file} (SHA-256 {digest}). That file holds the records of the hand as they "
        "were stored, and the signatures before and behind them. With any copy of the program: tablectl evidence "
        "--verify {file} --key KEY, where KEY is the public key on the table's opening sheet. It must be:",
        "journal": "Journal", "open": "Not settled by this record: stakes as they lay at LOCK.",
        "before": "Paid before the end", "paid": "net {net}, returned {returned}: record {seq}",
        "no_stakes": "Bets were never closed: no stake is on record.",
    },
    "ru": {
        "title": "Материалы раздачи {hand}, стол {table}", "hand": "Раздача", "table": "Стол", "outcome": "Исход",
        "dealer": "Дилер", "rules": "Правила", "hash": "Хеш правил", "records": "Записи", "record": "Запись",
        "began": "Начало (пометка)", "ended": "Конец (пометка)", "joker": "Джокер раздачи",
        "open_card": "{slot}: {card}",
        "boxes": "Боксы", "box": "Бокс", "dealt": "Сдано", "final": "Итог", "made": "Комбинация", "decision": "Решение",
        "stake": "Ставки", "net": "Результат", "returned": "К возврату",
        "house": "Казино, по всем боксам (без джекпота)",
        "dealers": "Карты дилера", "plays": "дилер играет", "plays_not": "дилер не играет",
        "declared": "объявлено людьми", "excess": "возвращено", "cut": "срезано максимальной выплатой",
        "shares": "доли", "drawn": "добор",
        "dead": "бокс отменён: ставки возвращаются",
        "draw": "Розыгрыш джокера",
        "nothing": "В этой раздаче джокер не разыгрывался.", "commitment": "Обязательство", "seed": "Зерно",
        "witness": "Свидетель", "slot": "Выпало", "shown": "Показано", "cards": "Карты в порядке считывания",
        "no_cards": "Ни одна не считана.",
        "time": "Время (пометка)", "place": "Место", "nth": "карта", "card": "Карта", "device": "Считыватель",
        "entered": "вручную", "unread": "не прочитана",
        "jackpot": "Джекпот", "meter": "Счётчик", "reserve": "Резерв", "hit": "Выпадение {id}, бокс {box}",
        "prize": "{prize}", "awarded": "{prize}, выплата подтверждена записью {seq}",
        "deferred": "Спор остался открытым",
        "overrides": "Вмешательства людей и сбои", "none": "Не было.",
        "what": "Что", "facts": "Сведения", "proof": "Как проверить эту страницу",
        "signature": "Дата, имя, подпись", "single": "SINGLE_PARTY (только зерно казино)",
        "untrusted": "Карты от считывателя, который не может доказать, кто он (без доверия)",
        "unproved": "без доверия",
        "how": "Страница прочитана из файла {file} (SHA-256 {digest}). В нём записи раздачи в том виде, как они "
        "хранятся, и подписи до и после них. Любой копией программы: tablectl evidence --verify {file} --key KEY, где "
        "KEY — открытый ключ с листа открытия стола. Он должен быть таким:",
        "journal": "Журнал", "open": "Этой записью не рассчитана: ставки, как они лежали на LOCK.",
        "before": "Выплачено до конца", "paid": "результат {net}, к возврату {returned}: запись {seq}",
        "no_stakes": "Ставки не закрывались: ни одна не записана.",
    },
}  # fmt: skip

RUSSIAN: Final[dict[str, str]] = {
    # how a hand ends
    "settled": "рассчитана", "void": "отменена", "not_played": "не сыграна", "joker_only": "только джокер",
    # categories
    "nothing": "ничего", "ace_king": "туз-король", "pair": "пара", "two_pair": "две пары", "trips": "тройка",
    "straight": "стрит", "flush": "флеш", "full_house": "фулл-хаус", "quads": "каре", "straight_flush": "стрит-флеш",
    "royal_flush": "роял-флеш", "five_of_a_kind": "покер",
    # what a box did
    "raise": "бет", "fold": "пас", "exchange": "обмен", "buy6": "шестая карта", "exchange_buy6": "обмен и шестая карта",
    "blind": "втёмную", "carried": "осталась на столе", "buy_dealer": "карта дилеру",
    # stakes and their ends
    "ante": "анте", "bet": "бет", "bonus": "бонус", "insurance": "страховка", "fee": "плата",
    "dealer_fee": "плата за карту дилеру", "jackpot": "джекпот", "win": "выигрыш", "push": "ничья", "lose": "проигрыш",
    "carry": "остаётся",
    # places
    "box": "бокс", "dealer": "дилер", "draw": "добор", "dealer_draw": "добор дилера", "burn": "сожжённая",
    # types of records where people or faults stepped in
    "AnswerWithdrawn": "ответ отозван", "Authorised": "действие подтвердили", "BoxHeld": "бокс задержан",
    "BoxReleased": "спор снят",
    "BoxVoided": "бокс отменён", "CardEntered": "карта введена вручную", "CardExposed": "карта засвечена",
    "CardMovedBack": "карта возвращена на место", "CardReassigned": "карта отнесена к другому месту",
    "CardRedirected": "карта ушла другому боксу", "CardReplaced": "карта заменена", "CardsBurned": "сожжены карты",
    "CardsByHand": "сдано вручную",
    "CardsSwitched": "другой способ учёта карт", "DisputeDeferred": "спор отложен",
    "EventsMissed": "пропущены сообщения", "FaultRaised": "неисправность", "FaultReset": "неисправность снята",
    "HandsSwapped": "боксы поменяны", "Irregularity": "нарушение", "JokerVoided": "джокер отменён",
    "ReadDoubted": "сомнительное чтение", "ReadingsDiffered": "два расчёта разошлись",
    "ResultDeclared": "результат объявлен", "Resumed": "игра продолжена", "StakeCorrected": "ставка исправлена",
    "MeterCorrected": "счётчик исправлен",
    "StakeEntered": "ставка названа", "Undone": "действие отменено",
}  # fmt: skip


def word(language: str, name: str) -> str:
    """A name of the record in the page's language; a name that has no word stands as it is."""
    return RUSSIAN.get(name, name) if language == "ru" else name.replace("_", " ")
