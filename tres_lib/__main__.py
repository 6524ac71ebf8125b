"""``python -m tres_lib`` is the command ``tres``."""

from .command.app import main

if __name__ == "__main__":
    main()
