"""The command line: parses arguments, calls flows and store, prints. It has no logic of its own."""
