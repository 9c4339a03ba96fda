import os
import signal
import threading

import pytest

from regard.training.loop import ENDINGS, awaited

SIGNALS = tuple(ENDINGS)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_is_noted(number):
    with awaited() as noted:
        assert not noted
        os.kill(os.getpid(), number)
        assert noted
        assert noted.signal == number


def test_every_signal_has_an_ending_of_its_own():
    assert [ENDINGS[one] for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == [
        "interrupted",
        "terminated",
        "hung up",
    ]


@pytest.mark.parametrize("second", SIGNALS)
def test_the_second_signal_is_obeyed_at_once(second):
    with pytest.raises((KeyboardInterrupt, SystemExit)) as caught, awaited():
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), second)
        pytest.fail("it went on")
    if second == signal.SIGINT:
        assert caught.type is KeyboardInterrupt
    else:
        assert caught.value.code == 128 + second


def test_a_signal_that_is_ignored_stays_so_as_nohup_asks_for():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with awaited() as noted:
            os.kill(os.getpid(), signal.SIGHUP)
            assert not noted
            os.kill(os.getpid(), signal.SIGTERM)
            assert noted.ending == "terminated"
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("error", [None, ValueError])
def test_afterwards_signals_do_what_they_did(error):
    before = [signal.getsignal(number) for number in SIGNALS]
    if error:
        with pytest.raises(error), awaited():
            raise error
    else:
        with awaited():
            assert [signal.getsignal(number) for number in SIGNALS] != before
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_in_another_thread_nothing_is_arranged():
    before = [signal.getsignal(number) for number in SIGNALS]
    found = []

    def work():
        with awaited() as noted:
            found.append((bool(noted), [signal.getsignal(number) for number in SIGNALS]))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [(False, before)]
