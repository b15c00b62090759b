"""The table's hardware, simulated: shoe, joker board, keys, buttons, an automatic dealer and players.

Imports drivers.wire (the protocol's framing and messages) and nothing else of the controller.
Absent from a production table.
"""
