"""Preceptor: a self-hosted tutor that gets better at teaching."""

__version__ = "0.1.0"
