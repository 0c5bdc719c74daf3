"""The demo: a throw-away project of believable data, with a session going on in it."""
