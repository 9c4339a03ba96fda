"""The engine: one meaning, several paths.

:mod:`.reference` is the definition; :mod:`.lower`, :mod:`.window` and :mod:`.stream` compute the
same faster or in less memory, and :mod:`.plan` says which of them runs and why. The engine never
asks a score, mask or normaliser for its class, only for what it can.

What is remembered between calls
--------------------------------
No call changes what another one returns. Three things are kept because the next call nearly always
needs them again; all of them are here, and ``tests/functional/test_staleness.py`` tries to make
each of them stale.

===========================  ======================================  ===============================
what                         belongs to                              when it counts
===========================  ======================================  ===============================
the plan of a call           the process, at most ``settle.MOST``;   shape, dtype, device, names and
(:mod:`.settle`)             holds no tensor, and masks only weakly  the mask itself are the same
the bias of a padding mask   the mask, which is frozen; the last     number of keys, axes, dtype and
(``masks.Padding.bias``)     answer only                             device are the same
exponentials of keys         whoever owns the keys (``forms.Looks``  the same tensor, not written to
(:mod:`..forms.tanh_again`)  in the memory of a decoder)             since, by torch's own count
===========================  ======================================  ===============================

Each is replaced by one assignment, so that threads may share it: a thread finds an answer with its
question or none. Nothing made in inference mode is kept, since its changes are not counted. What
the machine can do (numba, threads, compiled functions) is asked once per process.
"""
