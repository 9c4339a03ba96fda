"""Objects in pictures: boxes, outlines and masks, read, fitted into frames, moved along.

Names are loaded when first used: settings of a task need nothing of torch.
"""

from typing import TYPE_CHECKING

HOMES = {
    "Letterbox": "framing",
    "MaskStore": "masks",
    "Pictured": "augmentation",
    "Region": "example",
    "RegionAugmentation": "augmentation",
    "RegionChanges": "changes",
    "RegionCodec": "codec",
    "RegionExample": "example",
    "RunLengths": "rle",
    "letterbox": "framing",
    "read_coco": "coco",
    "read_names": "table",
    "read_table": "table",
}
"""The module of each public name."""
__all__ = sorted(HOMES)

if TYPE_CHECKING:
    from .augmentation import Pictured as Pictured
    from .augmentation import RegionAugmentation as RegionAugmentation
    from .changes import RegionChanges as RegionChanges
    from .coco import read_coco as read_coco
    from .codec import RegionCodec as RegionCodec
    from .example import Region as Region
    from .example import RegionExample as RegionExample
    from .framing import Letterbox as Letterbox
    from .framing import letterbox as letterbox
    from .masks import MaskStore as MaskStore
    from .rle import RunLengths as RunLengths
    from .table import read_names as read_names
    from .table import read_table as read_table
else:
    from regard.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(__name__, HOMES)
