"""Tampering with the files of a dataset, carelessly and carefully.

::

    copy       a dataset that can be changed: rows in all their formats, the manifest
    rows       sentences planted, moved, dropped, relabelled, alike in every format
    files      one file changed and no other; with its new hash in the manifest, or not
    manifests  other claims, other counts, another form

Each way of tampering says whether it is harmful, what it breaks, and which check of the
verifier has to notice; a harmless one says why it is so.
"""
