"""The engine: one meaning, several paths.

:mod:`.reference` is the definition; :mod:`.fused` and :mod:`.stream` compute the same faster or in
less memory, and :mod:`.plan` says which of them runs and why. The engine never asks a score, mask
or normaliser for its class, only for what it can.

What is remembered between calls
--------------------------------
No call changes what another one returns. Three things are kept because the next call nearly always
needs them again; all of them are here, and ``tests/functional/test_staleness.py`` tries to make
each of them stale.

- The plan of a call (:mod:`.plan`), for calls with the same names, shapes, dtypes, devices and
  the very same mask. It belongs to the process, at most ``plan.MOST`` of them; it holds no
  tensor, and masks only weakly.
- The bias of a padding mask (``masks.Padding.bias``), for the same number of keys, axes, dtype and
  device. The last one belongs to the mask, which is frozen.
- Exponentials of keys (:mod:`..forms.tanh`), for the same tensor, not written to since by
  torch's own count. They belong to whoever owns the keys (``forms.Looks``, held by the memory of a
  decoder).

Each is replaced by one assignment, so that threads may share it: a thread finds an answer with its
question or none. Nothing made in inference mode is kept, since its changes are not counted. What
the machine can do (numba, threads, compiled functions) is asked once per process.
"""
