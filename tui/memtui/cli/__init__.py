"""The command line: reads words, calls store and extract, prints. It owns no logic of its own."""
