"""Read files that somebody else has made.

A dataset, a corpus or the output of a system comes from the net, and may be anything: a device
that never ends, a pipe that nobody writes to, a link to a private file, bytes that are no text,
JSON of a hundred thousand brackets.  Whatever is read goes through :func:`opened`::

    opened(path, ROWS)                          a stream of bytes, to be read line by line
    read_text(path, LEXICON)                    all of it, from UTF-8
    read_json(path, MANIFEST, inside=dataset)   … from JSON, and no link may leave the dataset

It opens regular files alone, and none larger than the limit of its kind; a pipe only as
``/dev/stdin`` or ``/dev/fd/N``, which only the caller's shell can have meant.  What cannot be
read is one exception, :class:`ForeignFileError`, with the reason and the place in the file.

Files that were read are remembered, so that no result is written over one of them.
"""

from sgl.foreign.files import (
    BENCHMARK,
    CERTIFICATE,
    CHECKPOINT,
    CHECKSUMS,
    COMPOUNDS,
    LEXICON,
    MANIFEST,
    PREDICTIONS,
    ROWS,
    SETTINGS,
    SOURCE,
    TABLE,
    TREEBANK,
    VERIFICATION,
    ForeignFileError,
    Kind,
    is_input,
    lines_of,
    note_input,
    opened,
    read_bytes,
    read_text,
    remembering,
    sha256_of,
    text_of,
)
from sgl.foreign.json import MOST_DEPTH, JsonValue, json_of, read_document, read_json
