"""Part of app: what is made of the sections about the table's senses (bet sensors). Constructs, never runs."""

from __future__ import annotations

from controller.config import Config
from controller.domain.hand.expects import lit
from controller.domain.state import Table
from drivers.gpio.debounce import MS
from drivers.gpio.sensors import BetSensors, SensorTiming


def bet_sensors(config: Config, table: Table) -> BetSensors | None:
    """The bet sensors, where they are fitted; a chip whose bet is in the journal may lie there at start."""
    if config.sensors is None:
        return None
    expected = [box.box for box in table.hand.boxes if lit(box)] if table.hand else []
    timing = SensorTiming(settle_ns=config.sensors.settle_ms * MS)
    return BetSensors(config.table.boxes, expected=expected, timing=timing)
