"""What people type, made readable for a model that has seen clean sentences only, and back.

A line is cut into sentences and what is no word; a sentence has one or more readings (both in
``readings.py``), of which the model answers all; the answer to the best of them (``choice.py``) is
told in terms of what was typed (``assembly.py``).
"""
