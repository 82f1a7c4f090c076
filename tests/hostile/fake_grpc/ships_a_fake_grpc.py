"""Brings a module grpc of its own along, for others to import."""

from importlib import import_module

import_module("grpc").steal()
