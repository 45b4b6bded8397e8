"""Datasets on disk: rows, graphs, manifest and card, written all or nothing.

``sgl.dataset.rows`` writes the rows, and loads compiled kernels and pyarrow.
"""

from sgl.core.encoding import plain
from sgl.dataset.fingerprint import fingerprint
from sgl.dataset.manifest import *  # noqa: F403
from sgl.dataset.staged import (
    CHECKSUMS,
    MANIFEST,
    OutputError,
    check_target,
    compiler_of,
    is_in_place,
    manifest_of,
    resolved,
    signature,
    staged_directory,
    write_checksums,
)
