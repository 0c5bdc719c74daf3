"""Files: written whole or not at all, created exclusively, locked, and read only within an allowed folder.

Standard library only: the hook process imports this. Every function raises `FileProblem` (or one of its
kinds) with a plain sentence, never a bare `OSError`, unless it says so.
"""

from memtui.ground.files.atomic import append_line as append_line
from memtui.ground.files.atomic import check_writable as check_writable
from memtui.ground.files.atomic import create_exclusive as create_exclusive
from memtui.ground.files.atomic import existing_above as existing_above
from memtui.ground.files.atomic import lock as lock
from memtui.ground.files.atomic import private_folder as private_folder
from memtui.ground.files.atomic import private_parents as private_parents
from memtui.ground.files.atomic import read_lines as read_lines
from memtui.ground.files.atomic import remove as remove
from memtui.ground.files.atomic import shared_folder as shared_folder
from memtui.ground.files.atomic import sweep_temps as sweep_temps
from memtui.ground.files.atomic import write_atomic as write_atomic
from memtui.ground.files.folder import Content as Content
from memtui.ground.files.folder import Folder as Folder
from memtui.ground.files.folder import Signature as Signature
from memtui.ground.files.folder import folder_within as folder_within
from memtui.ground.files.folder import head_within as head_within
from memtui.ground.files.folder import heads_within as heads_within
from memtui.ground.files.folder import is_within as is_within
from memtui.ground.files.folder import load_within as load_within
from memtui.ground.files.folder import read_within as read_within
from memtui.ground.files.folder import resolved as resolved
from memtui.ground.files.folder import signature_of as signature_of
from memtui.ground.files.folder import tail_within as tail_within
from memtui.ground.files.problems import FileChanged as FileChanged
from memtui.ground.files.problems import FileLocked as FileLocked
from memtui.ground.files.problems import FileMissing as FileMissing
from memtui.ground.files.problems import FileNotRegular as FileNotRegular
from memtui.ground.files.problems import FileOutside as FileOutside
from memtui.ground.files.problems import FileProblem as FileProblem
from memtui.ground.files.problems import FileTooLarge as FileTooLarge
from memtui.ground.files.problems import FileUnreadable as FileUnreadable
from memtui.ground.files.problems import FileUnwritable as FileUnwritable
from memtui.ground.files.problems import os_error_reason as os_error_reason
from memtui.ground.files.problems import reading as reading
from memtui.ground.files.problems import writing as writing
