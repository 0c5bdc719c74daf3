"""The demo's story: the backend of a small shop for sailing gear, and the sessions that worked on it."""
