"""``python -m tres_live`` is the command ``tres``."""

import sys


def main() -> None:
    """Run the command; Ctrl-C while Python loads it ends in one line, as later."""
    try:
        from .command.app import main as tres
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    tres()


if __name__ == "__main__":
    main()
