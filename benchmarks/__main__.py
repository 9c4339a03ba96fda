"""``python -m benchmarks`` is ``regard bench``."""

import sys

from regard.cli.app import main

if __name__ == "__main__":
    sys.exit(main(["bench", *sys.argv[1:]]))
