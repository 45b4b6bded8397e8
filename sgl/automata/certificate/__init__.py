"""Certificates: the claims of a plan with evidence that a small program can check.

The program is :mod:`sgl.verify.certificate`; ``docs/certificate.md`` describes the format and why it is enough.
"""

from sgl.automata.certificate.certificate import Certificate, certificate, certificate_text

__all__ = ["Certificate", "certificate", "certificate_text"]
