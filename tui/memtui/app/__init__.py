"""The Textual app: it displays and asks; the stores change files.

`project.py` is the model, without widgets, fed by one background thread (`watch.py`): on a hint of the
watcher, or every two seconds, it compares the listings (`listings.py`, `readings.py`) and publishes
immutable views. Events are hints; the listing is the truth. A full listing is followed by a pause of eight
times its duration, so that a very large folder does not take up all the time. A second thread keeps session
states up to date; the pane only switches to a newer session after 20 seconds of silence in the current one.

`browser.py` composes the panes and passes views on. A pane (`panes/`) holds its rows, its keys (BINDINGS)
and its actions; so does each screen (`screens/`). `details/` makes the documents that they show. Footer,
help, palette and README's table are made from the BINDINGS (`keys.py`), the user's own keys are Textual's
keymap.

Panes draw only the rows in view (`widgets/row_list.py`), documents only the lines in view
(`widgets/document_view.py`); no row has a widget of its own. Work longer than a frame runs in a worker that
returns data; its boundary (`BaseApp.reporting`) catches and logs every error.
"""
