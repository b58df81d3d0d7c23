"""Making things ahead in a thread, with a bounded queue."""

import queue
import threading
from collections.abc import Generator, Iterable
from typing import TypeVar

Item = TypeVar("Item")


def ahead(items: Iterable[Item], depth: int = 32) -> Generator[Item, None, None]:
    """Give ``items`` in order, made by a thread that is at most ``depth`` of them ahead.

    What the making of an item raises is raised here, in its place. The thread ends when the
    iterator is used up, closed or forgotten.
    """
    done = object()
    ready: queue.Queue[tuple[object, BaseException | None]] = queue.Queue(depth)
    closed = threading.Event()

    def put(item: object, error: BaseException | None = None) -> None:
        while not closed.is_set():
            try:
                ready.put((item, error), timeout=0.1)
                return
            except queue.Full:
                continue

    def make() -> None:
        try:
            for item in items:
                put(item)
                if closed.is_set():
                    return
            put(done)
        except BaseException as error:
            put(done, error)

    thread = threading.Thread(target=make, daemon=True)
    thread.start()
    try:
        while True:
            item, error = ready.get()
            if error is not None:
                raise error
            if item is done:
                return
            yield item  # type: ignore[misc]
    finally:
        closed.set()
        thread.join()
