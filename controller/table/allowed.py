"""Which commands make sense while the table waits for what: words alone, the next step first. Decides nothing."""

from __future__ import annotations

from controller.domain.hand.expects import Want

ALLOWED: dict[Want, tuple[str, ...]] = {
    Want.OPEN: ("open_table", "sign_on"),
    Want.DECK: ("deck", "close_table"),
    Want.SHUFFLE: ("deck", "close_table"),
    Want.STUB: ("stub_count", "deck", "close_table"),
    Want.START: (
        "start",
        "stake",
        "owner",
        "blind",
        "repeat",
        "backers",
        "count",
        "undo",
        "sign_on",
        "close_table",
        "limits",
    ),
    Want.COUNT: ("resume", "count", "void_hand"),
    Want.CARD: ("irregular", "exposed", "manual", "void_box", "void_hand"),
    Want.DEAL: ("dealt", "irregular", "exposed", "void_box", "void_hand"),
    Want.STOP: ("stop", "irregular", "void_box", "void_hand"),
    Want.BOARD: ("irregular", "void_box", "void_hand"),
    Want.ENTRY: ("enter_card", "void_box", "void_hand"),
    Want.DECLARE: ("declare", "hold", "void_box", "void_hand"),
    Want.DECISION: ("undo", "irregular", "exposed", "redirect", "swap_hands", "correct_stake", "void_box", "void_hand"),
    Want.CHOICE: ("take_ante", "buy_dealer", "undo", "irregular", "void_box", "void_hand"),
    Want.REVEAL: ("reveal", "undo", "irregular", "exposed", "swap_hands", "void_hand"),
    Want.TURN: ("turned", "hold", "correct_stake", "void_box", "void_hand"),
    Want.DISCARDS: ("discarded", "differs", "undo", "hold", "void_box", "void_hand"),
    Want.CHECK: ("discard_check", "discarded", "differs", "undo", "hold", "void_box", "void_hand"),
    Want.PAID: ("paid", "discarded", "differs", "undo", "hold", "swap_hands", "correct_stake", "void_box", "void_hand"),
    Want.NEXT: ("start", "irregular", "void_hand"),
    Want.STAKE: ("stake", "differs", "undo", "hold", "void_box", "void_hand"),
    Want.REST: ("rest", "hold", "void_box", "void_hand"),
    Want.AWARD: ("award",),
    Want.RELEASE: ("release", "next_hand", "swap_hands", "void_box", "void_hand"),
    Want.SUPERVISOR: ("resume", "reset", "void_box", "void_hand"),
    Want.NOTHING: (),
}
