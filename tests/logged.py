"""What is logged while a test runs, for tests that ask: pytest attaches handlers to every test."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


class Logged(logging.Handler):
    """Keeps what reaches the root logger; the part of pytest's ``caplog`` that our tests use."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)

    @property
    def messages(self) -> list[str]:
        """As they would be read."""
        return [record.getMessage() for record in self.records]

    @contextmanager
    def at_level(self, level: int, logger: str | None = None) -> Iterator[None]:
        """Inside the block this logger passes on whatever is at least so grave."""
        owner = logging.getLogger(logger)
        before = owner.level
        owner.setLevel(level)
        try:
            yield
        finally:
            owner.setLevel(before)


@contextmanager
def logged() -> Iterator[Logged]:
    """Inside the block all is kept."""
    handler, root = Logged(), logging.getLogger()
    root.addHandler(handler)
    try:
        yield handler
    finally:
        root.removeHandler(handler)
