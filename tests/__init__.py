"""Tests mirror core/ and pages/; tests/oracle recomputes, tests/command.py runs the command line."""
