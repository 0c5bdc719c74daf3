"""The demo's story as TOML files: the backend of a small shop for sailing gear, and its sessions."""
