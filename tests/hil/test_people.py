"""Who may do what, over the socket with PINs: acts that wait, approvals, recall on record; the record settles again."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.hil.rig import PINS, Rig, last_hand, table, tablectl, until

pytestmark = pytest.mark.hil


def do(rig: Rig, *words: str, who: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """`tablectl do ... --as NAME`, PINs on a descriptor."""
    people = [word for name in who for word in ("--as", name)]
    return tablectl("do", *words, "--json", "--config", str(rig.config), *people, pins=[PINS[name] for name in who])


def code(done: subprocess.CompletedProcess[str]) -> str:
    """The number of a refusal."""
    assert done.returncode != 0
    return str(json.loads(done.stderr)["error"]["code"])


def test_a_void_hand_after_the_joker_needs_two_who_are_not_the_dealer() -> None:
    with table(seed=3) as rig:
        rig.play_until(lambda s: s["phase"] == "decisions")
        alone = do(rig, "void_hand", "reason=misdeal", who=("dealer",))
        assert alone.returncode == 0, alone.stderr
        number = json.loads(alone.stdout)["outcome"]["waiting"]
        waiting = rig.wait(lambda s: bool(s["waiting"]))["waiting"]
        assert waiting == [{"id": number, "command": "void_hand", "missing": "supervisor and a second person"}]
        assert rig.now["phase"] == "decisions"
        assert do(rig, "approve", f"id={number}", who=("supervisor",)).returncode == 0
        assert rig.wait(lambda s: bool(s["waiting"]))["waiting"][0]["missing"] == "a second person"
        again = do(rig, "approve", f"id={number}", who=("supervisor",))
        assert code(again) == "TC-0536"  # another person must agree
        assert rig.now["hand"] == 1
        assert do(rig, "approve", f"id={number}", who=("witness",)).returncode == 0
        ended = rig.wait(lambda s: last_hand(s) == 1)
        assert (ended["last_hand"]["outcome"], ended["waiting"]) == ("void", [])
        assert code(do(rig, "approve", f"id={number}", who=("witness",))).startswith("TC-05")
        assert rig.stop()[0] == 0
        rig.audit()
        assert rig.recall(1)["outcome"] == "void"


def test_the_key_switch_turned_back_leaves_no_menu_on_the_display() -> None:
    with table(seed=3) as rig:
        rig.play_until(lambda s: s["phase"] == "decisions")

        def second_line(begins: str) -> bool:
            return until(lambda: rig.bench.display.text()[1].startswith(begins))

        assert second_line("Box 1 decides")
        rig.bench.turn("SWITCH", on=True)
        assert second_line("SUPERVISOR")
        rig.bench.turn("SWITCH", on=False)
        assert second_line("Box 1 decides")


def test_the_last_hands_are_recalled_at_the_key_switch() -> None:
    with table(seed=3) as rig:
        rig.play_hands(2)
        rig.play_until(lambda s: s["phase"] == "dealing")
        version = rig.now["version"]

        def press(*names: str) -> None:
            for name in names:
                rig.bench.press(name)

        def shows(words: str) -> bool:
            return until(lambda: any(words in line for line in rig.bench.display.text()))

        rig.bench.turn("SWITCH", on=True)
        assert shows("SUPERVISOR")
        press("FOLD")
        assert shows("RECALL HANDS")
        press("OK", "K1", "K1", "K1", "K1", "OK")  # the dealer's PIN
        assert until(lambda: "recall at the key switch refused" in rig.log)
        press("FOLD", "OK", "K2", "K2", "K2", "K2", "OK")
        assert shows("RECALL 3 OPEN")
        press("OK")
        assert shows("RECALL 2 SETTLED")
        press("OK")
        assert shows("RECALL 1 SETTLED")
        press("BACK")
        assert shows("SUPERVISOR")
        rig.bench.turn("SWITCH", on=False)
        assert rig.now["version"] == version
        assert rig.stop()[0] == 0
        rig.audit()
        assert [one["data"] for one in rig.records("Recalled")] == [{"hand": 0, "operators": ["supervisor"]}]


def test_an_act_that_waits_survives_a_restart_and_can_be_refused() -> None:
    with table(seed=3) as rig:
        rig.play_until(lambda s: s["phase"] == "decisions")
        number = json.loads(do(rig, "void_hand", "reason=misdeal", who=("dealer",)).stdout)["outcome"]["waiting"]
        before = rig.wait(lambda s: bool(s["waiting"]))["waiting"]
        rig.kill()
        assert rig.start()["waiting"] == before
        assert do(rig, "reject", f"id={number}", who=("supervisor",)).returncode == 0
        rig.wait(lambda s: not s["waiting"])
        rig.play_hands(1)
        assert rig.now["last_hand"]["outcome"] == "settled"
        assert rig.stop()[0] == 0
        rig.audit()


def test_a_wrong_pin_a_stranger_and_a_stale_look_are_refused() -> None:
    with table(seed=3) as rig:
        rig.play_until(lambda s: s["phase"] == "decisions")
        words = ("do", "void_hand", "reason=x", "--config", str(rig.config), "--as")
        wrong = tablectl(*words, "supervisor", pins=["1111"])
        stranger = tablectl(*words, "nobody", pins=["1111"])
        assert wrong.returncode != 0
        assert wrong.stderr.replace("supervisor", "X") == stranger.stderr.replace("nobody", "X")
        stale = tablectl(*words, "supervisor", "--version", "3", "--hand", "1", pins=["2222"])
        assert stale.returncode != 0
        assert "version" in stale.stderr
        for said in (wrong, stranger, stale):
            assert len(said.stderr.splitlines()) == 1
            assert said.stderr.startswith("TC-")
            assert "1111" not in said.stderr
        assert rig.now["phase"] == "decisions"
        assert "1111" not in rig.log
        assert rig.stop()[0] == 0


@pytest.mark.parametrize("game", ["jpoker", "oasis_ru"])
def test_recall_is_on_record_and_settles_again(game: str) -> None:
    hands = 3
    with table(game, seed=6) as rig:
        rig.play_hands(hands)
        words = ("recall", "1", "--json", "--config", str(rig.config))
        refused = tablectl(*words, "--as", "dealer", pins=["1111"])
        assert refused.returncode != 0
        assert code(refused) == "TC-0534"
        asked = tablectl(*words, "--as", "supervisor", pins=["2222"])
        assert asked.returncode == 0, asked.stderr
        open_hand = tablectl("recall", str(rig.now["hand"]), *words[2:], "--as", "supervisor", pins=["2222"])
        shown = json.loads(open_hand.stdout)
        assert (shown["outcome"], shown["request"], shown["answer"]) == ("open", None, None)
        asked_all = tablectl("recall", *words[2:], "--as", "supervisor", pins=["2222"])
        listed = json.loads(asked_all.stdout)["hands"]
        assert [hand["hand"] for hand in listed] == list(range(shown["hand"], 0, -1))
        assert rig.stop()[0] == 0
        rig.audit()
        recalled = [one["data"] for one in rig.records("Recalled")]
        assert recalled == [{"hand": n, "operators": ["supervisor"]} for n in (1, shown["hand"], 0)]
        head = json.loads(next(line for line in rig.log.splitlines() if '"stopped"' in line))["head"]
        assert tablectl("audit", "--head", head, str(rig.journal)).returncode == 0
        assert json.loads(asked.stdout)["request"] == rig.recall(1)["request"]
        for hand in range(1, hands + 1):
            settles_again(rig, hand)


def settles_again(rig: Rig, hand: int) -> None:
    """The recalled request, given to `tablectl settle`, gives the stored answer."""
    recalled = rig.recall(hand)
    path = rig.folder / f"request-{hand}.json"
    path.write_text(json.dumps(recalled["request"]), "utf-8")
    done = tablectl("settle", str(path))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == recalled["answer"]
    assert tablectl("verify-hand", str(hand), str(rig.journal)).returncode == 0
