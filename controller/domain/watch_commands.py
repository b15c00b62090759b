"""What people ask of what the table watches beside the cards: alarms and lamps. Found in commands as well."""

from __future__ import annotations

from controller.domain.device_commands import Command, Said


class LampTest(Command, frozen=True, kw_only=True, tag="lamp_test"):
    """Every lamp of the board for two seconds, and what is open or short; between hands or at a closed table."""


class AnswerAlarm(Command, frozen=True, kw_only=True, tag="answer_alarm"):
    """Somebody has looked into an alarm and says why it came or what was done."""

    alarm: int
    reason: Said
