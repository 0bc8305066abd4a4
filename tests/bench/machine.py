"""Which machine the figures are of."""

import os
import platform
from importlib.metadata import version
from pathlib import Path


def machine() -> dict[str, str]:
    """Return processor, cores, memory, system and the versions that matter, as texts."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "processor": _after("/proc/cpuinfo", "model name") or platform.processor() or platform.machine(),
        "cores": f"{cores} cores",
        "memory": _memory(),
        "system": f"{platform.system()}, Python {platform.python_version()}",
        "packages": ", ".join(
            f"{name} {version(name)}" for name in ("streamlit", "duckdb", "pandas", "altair")
        ),
    }


def _after(path: str, key: str) -> str:
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(key)), "")


def _memory() -> str:
    kilobytes = _after("/proc/meminfo", "MemTotal").split()
    return f"{int(kilobytes[0]) / 2**20:.0f} GB" if kilobytes else ""
