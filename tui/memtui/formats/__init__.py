"""The file formats, one module each: pure parsing and rendering, tolerant in, exact out.

This package imports nothing by itself, so that the hook's format needs the standard library alone.
"""
