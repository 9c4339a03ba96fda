"""CTranslate2 as it is, on one thread."""

import sys

from .ctranslate import main
from .protocol import job

if __name__ == "__main__":
    main(job(sys.argv[1:])._replace(threads=1))
