import os
import signal
import threading

import pytest

from regard.training.interruption import SIGNALS, awaited


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_is_noted(number):
    with awaited() as noted:
        assert not noted
        os.kill(os.getpid(), number)
        assert noted
        assert noted.signal == number


@pytest.mark.parametrize("second", SIGNALS)
def test_the_second_signal_is_obeyed_at_once(second):
    with pytest.raises(KeyboardInterrupt), awaited():
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), second)
        pytest.fail("it went on")


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
