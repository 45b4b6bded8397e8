"""Check a certificate unless the cache knows the verdict; a process that does this loads no compiler."""

from hashlib import sha256

from sgl.cache import Cache, cached, using
from sgl.verify import certificate_faults


def faults_of(cache: Cache | None, text: bytes) -> tuple[str, ...]:
    """Return the faults of a certificate, with this cache."""
    with using(cache):
        return cached(tuple, "faults", (sha256(text).hexdigest(),), lambda: certificate_faults(text))
