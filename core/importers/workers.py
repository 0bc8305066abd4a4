"""Worker processes: spread out jobs, keep few of them in memory, never outlive the import."""

import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from concurrent.futures.process import BrokenProcessPool
from types import TracebackType
from typing import Any, Self, TypeVar

import pyarrow as pa

from core.errors import SourceError
from core.importers.progress import Progress
from core.importers.reader import Options

SMALL = 512 * 1024
"""Sources of fewer bytes are read in this process: starting workers takes longer."""

AHEAD = 2
"""Jobs in flight for each worker; more would only fill the memory."""

BATCH = 4 * 1024 * 1024
"""Bytes of sources that make a job, where they are cut finer."""

BATCH_JOBS = 1000
SHARES = 8
"""Jobs for each worker at least, so that none waits long for the last one."""

_One = TypeVar("_One")


class Pool:
    """Runs jobs in worker processes, or here where there is little to do; a reader's `Run`.

    The workers start with the first job.
    """

    def __init__(self, size: int, options: Options, progress: Progress) -> None:
        self.options = options
        self._progress = progress
        self._workers = 0
        self._executor: Executor | None = None
        self.expect(size)

    def __enter__(self) -> Self:
        """Return the pool."""
        return self

    def expect(self, size: int) -> None:
        """Take in how many bytes of sources will be read; few are read in this process."""
        self._size = size
        if self._executor is None:
            self._workers = 0 if size < SMALL else os.cpu_count() or 1

    def _started(self) -> Executor | None:
        if self._workers and self._executor is None:
            # Not fork: threads of DuckDB, Arrow and Streamlit may hold locks at this moment.
            context = multiprocessing.get_context("spawn")
            self._executor = ProcessPoolExecutor(self._workers, mp_context=context, initializer=_start)
        return self._executor

    def batches(self, jobs: Iterable[_One], size: Callable[[_One], int]) -> Iterator[list[_One]]:
        """Put jobs together until they are worth sending to a worker; one that is large stays alone."""
        limit = min(BATCH, max(1, self._size // (SHARES * max(1, self._workers))))
        batch: list[_One] = []
        held = 0
        for job in jobs:
            if batch and held + size(job) > limit:
                yield batch
                batch, held = [], 0
            batch.append(job)
            held += size(job)
            if held >= limit or len(batch) >= BATCH_JOBS:
                yield batch
                batch, held = [], 0
        if batch:
            yield batch

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Stop the workers; jobs that have not begun never do."""
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)

    def each(self, function: Callable[[Any], Any], jobs: Iterable[Any]) -> Iterator[Any]:
        """Yield the results of jobs in their order, taking jobs as workers become free.

        Raises
        ------
        SourceError
            A worker process died, as it does where memory runs out.
        """
        waiting: deque[Future[Any]] = deque()
        try:
            for job in jobs:
                waiting.append(self._submit(function, job))
                while len(waiting) > self._workers * AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool as error:
            raise SourceError(
                "A worker process of the import died (out of memory?); nothing was changed"
            ) from error

    def map(
        self, function: Callable[[Any], Any], jobs: Sequence[Any], *, step: str, seconds: float | None = None
    ) -> Iterator[Any]:
        """Yield the results of jobs in their order, None for those not done after so many seconds."""
        end = None if seconds is None else time.monotonic() + seconds
        futures = [self._submit(function, job) for job in jobs] if self._started() else None
        for number, job in enumerate(jobs, start=1):
            self._progress.step(f"{step}: {number:,} of {len(jobs):,}")
            left = None if end is None else end - time.monotonic()
            if futures is None:
                yield function(job) if left is None or left > 0 else None
                continue
            try:
                yield futures[number - 1].result(None if left is None else max(0.0, left))
            except (FutureTimeoutError, CancelledError):
                for future in futures:
                    future.cancel()
                yield None
            except BrokenProcessPool as error:
                raise SourceError("A worker process of the import died; nothing was changed") from error

    def _submit(self, function: Callable[[Any], Any], job: Any) -> Future[Any]:
        executor = self._started()
        if executor is not None:
            return executor.submit(function, job)
        done: Future[Any] = Future()
        done.set_result(function(job))
        return done


def _start() -> None:
    """Prepare a worker process: one thread, no output of its own, an end when the import ends."""
    # Ctrl-C reaches the whole group; the parent decides what becomes of it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Libraries print; stdout belongs to the result of a command.
    sys.stdout = sys.stderr
    pa.set_cpu_count(1)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_die_with, args=(parent.sentinel,), daemon=True).start()


def _die_with(sentinel: int) -> None:
    # A parent that is killed cannot tell its workers, and they would wait for jobs for ever.
    multiprocessing.connection.wait([sentinel])
    os._exit(1)
