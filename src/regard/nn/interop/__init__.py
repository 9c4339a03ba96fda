"""Weights of multi-head attention from other libraries, and back."""

from .hugging_face import from_hugging_face as from_hugging_face
from .hugging_face import to_hugging_face as to_hugging_face
from .keras_layer import from_keras as from_keras
from .keras_layer import to_keras as to_keras
from .torch_layer import from_torch as from_torch
from .torch_layer import to_torch as to_torch
