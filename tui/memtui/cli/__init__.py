"""The command line: reads words, calls flows and store, prints. It owns no logic of its own."""
