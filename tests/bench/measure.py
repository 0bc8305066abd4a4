"""One page on one dataset in a process of its own, as the server runs it; prints JSON."""

import json
import resource
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
DEFAULT_PAGE = "pages/scores.py"


def measure(config: Path, warm: Path, page: str) -> dict[str, float]:
    """Return seconds to import, open, first and repeated run; bytes sent by the first; peak memory in MB.

    Parameters
    ----------
    config : Path
        The dataset to measure on.
    warm : Path
        A small dataset in the same folder: the page runs on it before, so that modules are loaded.
    page : str
        Path of the page's script from the root.
    """
    start = time.perf_counter()
    from streamlit.runtime import forward_msg_queue
    from streamlit.testing.v1 import AppTest

    sent = 0
    enqueue = forward_msg_queue.ForwardMsgQueue.enqueue

    def counted(self: object, message: object) -> None:
        nonlocal sent
        sent += message.ByteSize()  # type: ignore[attr-defined]
        enqueue(self, message)  # type: ignore[arg-type]

    forward_msg_queue.ForwardMsgQueue.enqueue = counted  # type: ignore[method-assign, assignment]
    sys.argv = ["app.py", "--data", str(config.parent)]

    def open_(dataset: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600)
        app.query_params["dataset"] = dataset
        return app

    def run(app: AppTest) -> float:
        began = time.perf_counter()
        app.run()
        assert not app.exception, app.exception
        return time.perf_counter() - began

    def at(dataset: str) -> AppTest:
        app = open_(dataset)
        app.switch_page(page)
        return app

    run(at(warm.stem))
    imported = time.perf_counter() - start

    from core.store.dataset import fingerprint
    from core.ui import datasets

    start = time.perf_counter()
    datasets.opened(config, config.parent, fingerprint(config, config.parent))
    opened = time.perf_counter() - start

    app, sent = at(config.stem), 0
    first = run(app)
    first_bytes = sent
    return {
        "import": imported,
        "open": opened,
        "first": first,
        "repeat": min(run(app) for _ in range(3)),
        "bytes": first_bytes,
        "peak_mb": _peak_mb(),
    }


def _peak_mb() -> float:
    """Return the most memory that this process had; elsewhere than on Linux, its parent's may be larger."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return float(next(line.split()[1] for line in lines if line.startswith("VmHWM:"))) / 1024


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])))
