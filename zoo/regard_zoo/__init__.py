"""Trained models for regard, one folder each; its ``CARD.md`` says data, licence and scores.

>>> import regard
>>> regard.load("en-fr-transformer")

Nothing here needs to be imported: ``regard.zoo`` looks into the folders.
"""

__version__ = "0.1.0"
