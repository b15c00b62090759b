"""The whole battery over many streams, what follows from it at 99 %, and the report as bytes that can be signed.

A verdict is on how the p-values of many streams are spread, never on a single one; together the verdicts are wrong
about a good source once in a hundred reports (docs/decisions/rng-verdicts.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from controller.domain.joker import joker_weights, prefixed
from controller.randomness import battery
from controller.randomness.mapping import WORD_SIZES, Proof, prove
from controller.randomness.pvalues import uniform_p
from controller.randomness.sources import CONTROLS, STREAMS, Entropy, Source

CONFIDENCE: Final = 0.99
CONTROL_DRAWS: Final = 200_000
LABEL: Final = b"table-controller rng report 1"
_EMPTY: Final = b'"signature":""'
_canonical = msgspec.json.Encoder(order="sorted")

Progress = Callable[[str, int, int], None]


class Verdict(msgspec.Struct, frozen=True):
    """One test on one kind of stream: the p-value of each stream, and that of their spread (Kolmogorov-Smirnov)."""

    stream: str
    test: str
    p_values: list[float]
    p: float
    passed: bool


class Control(msgspec.Struct, frozen=True):
    """A source that is bad on purpose, and the tests that found it."""

    name: str
    found_by: list[str]


class Report(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that was looked at. `threshold` is the least p that passes, for each of the verdicts."""

    program: str
    code: str
    t: str
    draws: int
    streams: int
    doc_weight: int
    confidence: float = CONFIDENCE
    threshold: float
    verdicts: list[Verdict]
    controls: list[Control]
    mapping: list[Proof]
    ok: bool
    public_key: str = ""
    signature: str = ""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked for: draws in all, over so many streams."""

    draws: int
    streams: int
    doc_weight: int
    control_draws: int = CONTROL_DRAWS


def examine(plan: Plan, entropy: Entropy, progress: Progress, *, program: str, code: str, t: str) -> Report:
    """Runs it all. `program`, `code` (hash of the draw's source) and `t` are labels of the report."""
    weights = joker_weights(plan.doc_weight)
    threshold = (1 - CONFIDENCE) / (len(STREAMS) * (len(battery.TESTS) + 1))
    verdicts: list[Verdict] = []
    for name, (source, own) in STREAMS.items():
        told = _staged(progress, name)
        verdicts += judged(name, source, own or weights, plan.draws, plan.streams, threshold, entropy, told)
    controls = []
    for at, (name, source) in enumerate(CONTROLS.items(), 1):
        found = judged(name, source, weights, plan.control_draws, plan.streams, threshold, entropy)
        controls.append(Control(name, [verdict.test for verdict in found if not verdict.passed]))
        progress("controls", at, len(CONTROLS))
    mapping = [prove(weights, bits) for bits in WORD_SIZES]
    passed = all(v.passed for v in verdicts) and all(c.found_by for c in controls) and all(m.exact for m in mapping)
    return Report(
        program=program, code=code, t=t, draws=plan.draws, streams=plan.streams, doc_weight=plan.doc_weight,
        threshold=threshold, verdicts=verdicts, controls=controls, mapping=mapping, ok=passed,
    )  # fmt: skip


def judged(
    name: str,
    source: Source,
    weights: Sequence[int],
    draws: int,
    streams: int,
    threshold: float,
    entropy: Entropy,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> list[Verdict]:
    """All tests on one kind of stream, and a chi-square over all its symbols at once, which sees the smallest bias."""
    p_values: dict[str, list[float]] = {test: [] for test in battery.TESTS}
    everything: list[int] = []
    for number in range(streams):
        symbols = source(entropy, weights, draws // streams)
        for test, judge in battery.TESTS.items():
            p_values[test].append(judge(symbols, weights))
        everything += symbols
        progress(number + 1, streams)
    found = [(test, values, uniform_p(values)) for test, values in p_values.items()]
    whole = battery.chi_square(everything, weights)
    found.append(("chi_square of all", [whole], min(1.0, 2 * min(whole, 1 - whole))))  # too even is no chance either
    return [Verdict(name, test, values, p, p >= threshold) for test, values, p in found]


def _staged(progress: Progress, stage: str) -> Callable[[int, int], None]:
    return lambda done, of: progress(stage, done, of)


# --- as bytes --------------------------------------------------------------------------------------------------------


def encoded(report: Report, key: Ed25519PrivateKey | None) -> bytes:
    """The report as one line of canonical JSON, signed where there is a key."""
    if key is None:
        return _canonical.encode(report)
    public = key.public_key().public_bytes_raw().hex()
    plain = _canonical.encode(msgspec.structs.replace(report, public_key=public, signature=""))
    signature = key.sign(prefixed(LABEL) + plain).hex()
    return plain.replace(_EMPTY, b'"signature":"' + signature.encode() + b'"', 1)


def decoded(data: bytes, key: Ed25519PublicKey | None) -> Report:
    """A report whose signature holds, by the given key or else by the one it names. ValueError where it does not."""
    try:
        report = msgspec.json.decode(data, type=Report)
        signer = key or Ed25519PublicKey.from_public_bytes(bytes.fromhex(report.public_key))
        signature = bytes.fromhex(report.signature)
    except (msgspec.MsgspecError, ValueError) as error:
        raise ValueError(f"no signed report ({error})") from None
    plain = data.rstrip(b"\n").replace(b'"signature":"' + report.signature.encode() + b'"', _EMPTY, 1)
    try:
        signer.verify(signature, prefixed(LABEL) + plain)
    except InvalidSignature:
        raise ValueError("the signature does not hold") from None
    return report
