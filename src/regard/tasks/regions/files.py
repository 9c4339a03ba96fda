"""Pictures with regions in files: a table or COCO's JSON, and a folder or a zip of pictures."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from statistics import median_low
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from regard.data.sources import File, Files, FileSource, Share
from regard.errors import InputError

from .data import Frame, RegionData

if TYPE_CHECKING:
    from regard.data.batches import Pools
    from regard.data.images import PictureStore
    from regard.data.regions import MaskStore, RegionCodec, RegionExample

    from .batch import Batch
    from .corpus import Kept
    from .held_out import HeldOut

LONGEST_SIDE, STEP = 320, 16
"""Of a frame, where none is given: its longer side at most, and what both are multiples of."""
LOOKED_AT = 60
"""Pictures and masks that frame and classes are found from."""
BACKGROUND = "background"
PLACES = ("images.zip", "images", "pictures.zip", "pictures")
MASK_PLACES = ("masks.zip", "masks")
"""Where pictures and masks are looked for beside a table, in this order."""


class FileRegions(FileSource, RegionData):
    """Pictures of a user."""

    files: ClassVar[tuple[str, ...]] = ("train", "pictures", "masks", "valid", "valid_pictures")

    train: Files = Field(min_length=1)
    """Tables of names and boxes, COCO's JSON, or a folder or zip of pictures that have masks."""
    pictures: File | None = None
    """Folder or zip of the pictures; images.zip or images beside the first table if not given."""
    masks: File | None = None
    """Folder or zip of masks: the number of a class for every pixel; outlines of COCO without."""
    valid_pictures: File | None = None
    """Where the pictures of ``valid`` are, unless with the others."""
    kept_back: Share = 0.1
    """Share of the pictures that is kept back without ``valid``."""
    names: tuple[str, ...] = ()
    """What the numbers in masks are called, from the smallest on."""
    ignored: tuple[int, ...] = ()
    """Numbers in masks which say that a pixel does not count."""

    def codec(self, frame: Frame | None, *, masked: bool) -> "RegionCodec":
        """Labels and frame."""
        from regard.data.regions import RegionCodec

        height, width = frame or self._usual_frame()
        values: tuple[int, ...] = ()
        if masked and self.masks:
            values, labels = self._mask_classes()
        else:
            labels = self._labels()
            if masked:
                labels = (BACKGROUND, *labels)
        return RegionCodec(labels, height, width, values)

    def pools(self, codec: "RegionCodec", *, masked: bool) -> "Pools[Batch]":
        """All that are not kept back."""
        from regard.data.batches import FinitePools

        from .corpus import RegionCorpus

        examples = self._train
        return FinitePools(
            RegionCorpus(
                self._kept(examples, codec, self._store, masked=masked),
                [1 if masked else max(1, len(one.regions)) for one in examples],
                _digest(examples, codec),
                codec.height,
                codec.width,
                masked,
            )
        )

    def held_out(self, codec: "RegionCodec", *, masked: bool) -> "HeldOut":
        """Those that are kept back.

        Raises:
            InputError: there is none.
        """
        from .held_out import HeldOut

        examples, store = self._valid, self._valid_store
        if not examples:
            raise self.too_few("pictures")
        return HeldOut(
            tuple(one.name for one in examples),
            self._kept(examples, codec, store, masked=masked),
            lambda row: store[examples[row].name],
            _digest(examples, codec),
        )

    def examples_of(self, path: str) -> "list[RegionExample]":
        """What one file holds."""
        from regard.data.images import PictureStore
        from regard.data.regions import RegionExample, read_coco, read_names, read_table

        if path.endswith((".json", ".json.gz")):
            return read_coco(path)
        if Path(path).is_dir() or path.endswith(".zip"):
            return [RegionExample(name, (), path) for name in PictureStore(path)]
        return list(read_names(path) if self.masks else read_table(path))

    def placed(self, *, masked: bool) -> "FileRegions":
        """The same with the masks that lie beside a table, where some are wanted and not named."""
        return self._with_masks if masked and not self.masks else self

    @property
    def about(self) -> str:
        """How many pictures there are."""
        return f"{', '.join(self.train)}: {len(self._read):,} pictures"

    @cached_property
    def _read(self) -> "list[RegionExample]":
        found = [one for path in self.train for one in self.examples_of(path)]
        if not found:
            raise InputError(f"{self.train[0]}: needs at least one picture, got none")
        return found

    @property
    def _train(self) -> "list[RegionExample]":
        return [one for one in self._read if self.valid or not self.is_kept_back(one.name)]

    @property
    def _valid(self) -> "list[RegionExample]":
        if self.valid:
            return [one for path in self.valid for one in self.examples_of(path)]
        return [one for one in self._read if self.is_kept_back(one.name)]

    @cached_property
    def _with_masks(self) -> "FileRegions":
        here = Path(self.train[0])
        if here.is_dir() or ".json" in here.suffixes:
            return self
        found = (here.parent / name for name in MASK_PLACES)
        masks = next((str(path) for path in found if path.exists()), None)
        return self.model_copy(update={"masks": masks})

    @cached_property
    def _store(self) -> "PictureStore":
        return _pictures(self.pictures, self.train[0])

    @cached_property
    def _valid_store(self) -> "PictureStore":
        if not self.valid_pictures:
            return self._store
        return _pictures(self.valid_pictures, self.valid[0])

    @cached_property
    def _mask_store(self) -> "MaskStore":
        from regard.data.regions import MaskStore

        assert self.masks is not None
        return MaskStore(self.masks)

    def _kept(
        self,
        examples: "Sequence[RegionExample]",
        codec: "RegionCodec",
        store: "PictureStore",
        *,
        masked: bool,
    ) -> "Kept":
        from .corpus import Kept
        from .loading import load

        masks = self._mask_store if masked and self.masks else None
        read = partial(load, codec=codec, store=store, masks=masks, masked=masked)
        return Kept(lambda row: read(examples[row]))

    def _labels(self) -> tuple[str, ...]:
        counts = Counter(region.label for one in self._train for region in one.regions)
        if not counts:
            raise InputError(f"{self.train[0]}: needs objects to learn from, got none")
        return tuple(sorted(counts))

    def _mask_classes(self) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Numbers in the first masks, and what they are called."""
        found: set[int] = set()
        for one in self._train[:LOOKED_AT]:
            found |= set(self._mask_store.mask(one.name).unique().tolist())
        values = tuple(sorted(found - set(self.ignored)))
        if len(values) < 2:
            raise InputError(f"{self.masks}: needs masks of two classes, got {list(values)}")
        names = self.names or tuple(map(str, values))
        if len(names) != len(values):
            raise InputError(
                f"{self.masks}: has the numbers {', '.join(map(str, values))}, which need "
                f"{len(values)} names, got {len(names)}: {', '.join(names)}"
            )
        return values, names

    def _usual_frame(self) -> Frame:
        sizes = [self._store[one.name].size for one in self._train[:LOOKED_AT]]
        width, height = (median_low(side) for side in zip(*sizes, strict=True))
        scale = min(1.0, LONGEST_SIDE / max(width, height))
        fitted = (max(STEP, STEP * round(side * scale / STEP)) for side in (height, width))
        rows, columns = fitted
        return rows, columns


def _pictures(path: str | None, beside: str) -> "PictureStore":
    """The pictures of a folder or a zip, or those beside a table."""
    from regard.data.images import PictureStore

    if path:
        return PictureStore(path)
    if Path(beside).is_dir() or beside.endswith(".zip"):
        return PictureStore(beside)
    folder = Path(beside).parent
    for name in PLACES:
        if (folder / name).exists():
            return PictureStore(folder / name)
    raise InputError(
        f"{beside}: needs its pictures, {' or '.join(PLACES[:2])} beside it; name a folder or a "
        "zip by --pictures"
    )


def _digest(examples: "Iterable[RegionExample]", codec: "RegionCodec") -> str:
    total = sha256(repr(codec).encode())
    for one in examples:
        total.update(repr((one.name, one.regions)).encode(errors="surrogatepass"))
    return total.hexdigest()[:16]
