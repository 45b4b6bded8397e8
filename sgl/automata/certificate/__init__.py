"""Certificates: the claims of a plan with evidence that a small program can check.

::

    content = certificate(compiler, plan, name, fingerprint)
    (directory / CERTIFICATE).write_text(certificate_text(content))

The program is :mod:`sgl.verify.certificate`; ``docs/certificate.md`` describes the format
and why it is enough.
"""

from sgl.automata.certificate.certificate import certificate, certificate_text

__all__ = ["certificate", "certificate_text"]
