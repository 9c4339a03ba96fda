"""Pictures with labels: folders of classes, tables beside a zip, sheets, idx files, digits."""

from .base import Arrays as Arrays
from .base import Files as Files
from .base import Labelled as Labelled
from .reading import read_labelled_pictures as read_labelled_pictures

__all__ = ["Arrays", "Files", "Labelled", "read_labelled_pictures"]
