"""The Textual app: it displays and asks; the stores change files.

`model/project_model.py` is the model, without widgets, fed by one background thread
(`model/live_updates.py`): on a hint of the watcher, or every two seconds, it compares the listings and
publishes immutable views (`model/views.py`). Events are hints; the listing is the truth. A full listing is
followed by a pause of eight times its duration, so that a very large folder does not take up all the time. A
second thread (`model/state_writer.py`) keeps session states up to date; the pane only switches to a newer
session after 20 seconds of silence in the current one. The tables of keys are in `keys/`; `details/` makes
the documents for the detail pane and the screens.

Panes draw only the rows in view (`widgets/row_list.py`), documents only the lines in view
(`widgets/document_view.py`); no row has a widget of its own. `screens/browser.py` maps actions to methods of
the plain classes in `actions/`, which receive what they act on and the screen as a small protocol (`host.py`,
`actions/place.py`). Work longer than a frame runs in a thread, whose boundary catches and logs every error.
"""
