"""``python -m sgl``: the same as ``sglc``."""

from sgl.cli import main

if __name__ == "__main__":
    main()
