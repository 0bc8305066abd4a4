"""`python -m core`: the tiers without a browser."""

from core.cli.main import main

if __name__ == "__main__":
    main()
