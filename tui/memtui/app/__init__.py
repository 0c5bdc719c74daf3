"""The Textual app: it shows and asks; the store changes files.

`model/browser.py` is the model, without widgets, fed by one background thread (`model/live.py`): on a hint
of the watcher, or every two seconds, it compares the listings and publishes immutable views
(`model/views.py`). Events are hints; the listing is the truth. A full listing is followed by a rest of eight
times its duration, so that a very large folder does not take all of the program's time. A second thread
(`model/following.py`) keeps session states up to date; the pane switches to a newer session only when the
shown one has been silent for 20 seconds. The tables of keys are in `keys/`; `details/` makes the documents
that the detail and the screens show.

Panes draw only the rows in view (`widgets/row_list.py`), documents only the lines in view
(`widgets/document_view.py`); no row has a widget of its own. `screens/browser.py` maps actions to methods of
the plain classes in `actions/`, which receive what they act on and the screen as a small protocol (`host.py`,
`actions/place.py`). Work longer than a frame runs in a thread, whose edge catches and logs every error.
"""
