"""The statistical battery on the joker's draw: streams, tests, controls, and a report that can be signed.

Looks at the draw from outside and is never part of it; the draw itself is controller.domain.joker.
"""
