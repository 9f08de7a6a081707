"""Turnscope: every agent turn as it happens, why it stopped, and the turn handed back clean."""

__version__ = "0.1.0"
