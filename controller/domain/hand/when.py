"""In which phases a command can mean anything: one table, asked before anything else. Commands not named: in any."""

from __future__ import annotations

from controller.domain import commands as cm
from controller.domain.phases import Phase

PHASES: dict[type[cm.Command], tuple[Phase, ...]] = {
    cm.SetStake: (Phase.BETTING, Phase.REVEAL, Phase.SETTLING),
    cm.Owner: (Phase.BETTING,),
    cm.Repeat: (Phase.BETTING,),
    cm.Blind: (Phase.BETTING,),
    cm.Backers: (Phase.BETTING,),
    cm.Count: (Phase.BETTING, Phase.LOCKED),
    cm.Lock: (Phase.BETTING,),
    cm.Fold: (Phase.DECISIONS,),
    cm.Bet: (Phase.DECISIONS,),
    cm.Exchange: (Phase.DECISIONS,),
    cm.Buy6: (Phase.DECISIONS,),
    cm.Insure: (Phase.DECISIONS, Phase.REVEAL),
    cm.TakeAnte: (Phase.REVEAL,),
    cm.BuyDealer: (Phase.REVEAL,),
    cm.FixDraw: (Phase.DECISIONS,),
    cm.Turned: (Phase.DECISIONS, Phase.REVEAL, Phase.SETTLING),
    cm.NameDiscards: (Phase.REVEAL, Phase.SETTLING),
    cm.DiscardCheck: (Phase.REVEAL, Phase.SETTLING),
    cm.Declare: (Phase.REVEAL, Phase.SETTLING),
    cm.Paid: (Phase.DECISIONS, Phase.REVEAL, Phase.SETTLING),
    cm.Rest: (Phase.REVEAL, Phase.SETTLING),
    cm.Differs: (Phase.REVEAL, Phase.SETTLING),
    cm.Hold: (Phase.REVEAL, Phase.SETTLING),
}
