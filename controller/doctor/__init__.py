"""`tablectl doctor`: what is wrong with this machine as a table, finding by finding, each with its remedy.

Small probes in a table (controller.doctor.probes), each of which looks at one thing through a Machine. None opens a
port or a pin that the daemon may hold, and none writes to the journal.
"""
