"""`python -m turnscope` is `turnscope`."""

from turnscope.cli import main

main()
