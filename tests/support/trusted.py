"""The trusted programs: what is certified rests on these modules, and a stranger reads them."""

from pathlib import Path

from sgl import verify

FOLDER = Path(verify.__file__).parent
#: What establishes the claims of a certificate, and what makes its rows again.
CLAIMS = (
    *("alone", "typed", "schema_grammar", "schema_plan", "structure", "schema"),
    *(
        "certificate_format",
        "certificate_references",
        "certificate_rules",
        "certificate_derivation",
        "certificate_absorbed",
    ),
    *("certificate_sight", "certificate_structures"),
    *("certificate_splits", "certificate_claims", "certificate", "texts", "naming"),
)
ROWS = ("lines", "trees", "shapes", "derivation", "candidates", "acceptance", "rows")
MODULES = [FOLDER / f"{name}.py" for name in (*CLAIMS, *ROWS)]
