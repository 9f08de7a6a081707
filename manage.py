#!/usr/bin/env python
"""Django's commands, for work on Turnscope itself. People run `turnscope` (see turnscope/cli.py)."""

from __future__ import annotations

import sys

from turnscope.cli import manage

if __name__ == "__main__":
    manage(sys.argv)
