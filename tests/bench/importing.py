"""The import of 200,000 completions with 500 MB of text, by the command line; prints JSON."""

import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.measure import ROOT

COMPLETIONS, MODELS, TASKS = 200_000, 10, 10
BYTES = 2_400
"""Of one response, about; with prompts it is 500 MB in all."""
WORDS = (ROOT / "docs" / "tiers.md").read_text(encoding="utf-8").split()


def write_source(path: Path) -> Path:
    """Write the records where they are not there yet; their text takes time to tokenise and to compress."""
    if path.exists():
        return path
    draw = random.Random(20)
    aside = path.with_suffix(".part")
    with aside.open("w", encoding="utf-8") as out:
        for record in _records(draw):
            out.write(json.dumps(record) + "\n")
    aside.replace(path)
    return path


def _records(draw: random.Random) -> Iterator[dict[str, object]]:
    items = COMPLETIONS // (MODELS * TASKS)
    for task in range(TASKS):
        prompts = [" ".join(draw.choices(WORDS, k=20)) for _ in range(items)]
        for model in range(MODELS):
            for item, prompt in enumerate(prompts):
                words = draw.choices(WORDS, k=round(BYTES / 6.3 * draw.uniform(0.2, 1.8)))
                yield {
                    "model": f"org/model-{model}",
                    "base_task": f"task_{task}",
                    "params": {"length": item % 8, "depth": item % 5},
                    "item_key": f"{task}-{item}",
                    "prompt": prompt,
                    "response": " ".join(words),
                    "answer": words[-1],
                    "reference": prompt.split()[0],
                    "outcome": "correct" if draw.random() < 0.4 + 0.04 * model else "incorrect",
                }


def measure(folder: Path) -> dict[str, float]:
    """Return seconds, CPU seconds, and peak memory in MB of the command and of the largest worker."""
    source = write_source(folder / "import-source.jsonl")
    command = [sys.executable, "-m", "core", "import", str(source), "--name", "imported", "--rebuild"]
    began = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--data", str(folder / "imported")], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, _tree_mb(process.pid))
        time.sleep(0.05)
    seconds = time.perf_counter() - began
    assert process.returncode == 0
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "completions": COMPLETIONS,
        "text_mb": source.stat().st_size / 1e6,
        "seconds": seconds,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "largest_process_mb": used.ru_maxrss / 1024,
        "all_processes_mb": peak,
    }


def _tree_mb(pid: int) -> float:
    """Return the memory of a process and of all below it, shared pages counted in each (Linux)."""
    try:
        children = (Path("/proc") / str(pid) / "task" / str(pid) / "children").read_text().split()
        pages = int((Path("/proc") / str(pid) / "statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * resource.getpagesize() / 2**20 + sum(_tree_mb(int(child)) for child in children)


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))
