"""Logs of Inspect (inspect-ai), `.eval` and `.json`: how they are stored, what they say of run and sample.

What the fields of a header and of a sample mean, in logs of any age, the library says, an optional package;
finding the samples in a file and taking no more of them than is needed is done here.
"""

from core.importers.inspect_logs.reader import InspectLogs

__all__ = ["InspectLogs"]
