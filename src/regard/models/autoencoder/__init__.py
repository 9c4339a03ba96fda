"""Autoencoders: a text or a picture through one vector, and back."""

from .config import LatentDecoderConfig as LatentDecoderConfig
from .config import RecurrentDecoderConfig as RecurrentDecoderConfig
from .config import TextAutoencoderConfig as TextAutoencoderConfig
from .config import TransformerDecoderConfig as TransformerDecoderConfig
from .decoders import LatentDecoder as LatentDecoder
from .picture_decoder import PictureDecoder as PictureDecoder
from .pictures import PictureAutoencoder as PictureAutoencoder
from .pictures import PictureAutoencoderConfig as PictureAutoencoderConfig
from .text import TextAutoencoder as TextAutoencoder
