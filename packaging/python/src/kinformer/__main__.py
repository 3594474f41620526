"""Runs the command in the place of this process: `kinformer`, `python -m kinformer`."""

import os
import sys

from kinformer._server import ServerError, command


def main() -> None:
    try:
        path = command()
        os.execv(path, ["kinformer", *sys.argv[1:]])
    except (ServerError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
