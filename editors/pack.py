"""Pack the extension of VS Code into a file that it installs, without a network.

::

    cd editors/vscode && npm install --omit=dev    # once: the client of language servers
    python editors/pack.py sgl.vsix
    code --install-extension sgl.vsix

A ``.vsix`` file is an archive with a manifest.  Without ``npm install`` the extension has colours,
snippets and the problem matcher, and says what is missing.
"""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

HERE = Path(__file__).parent
EXTENSION = HERE / "vscode"

_TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{}</Types>
"""
_MANIFEST = """<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="{name}" Version="{version}" Publisher="{publisher}"/>
    <DisplayName>{displayName}</DisplayName>
    <Description xml:space="preserve">{description}</Description>
    <Categories>{categories}</Categories>
    <Properties><Property Id="Microsoft.VisualStudio.Code.Engine" Value="{engine}"/></Properties>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
  </Assets>
</PackageManifest>
"""


def pack(target: Path) -> list[str]:
    """Write the archive, the same bytes for the same files, and return the names in it."""
    described = json.loads((EXTENSION / "package.json").read_text("utf-8"))
    paths = sorted(path for path in EXTENSION.rglob("*") if path.is_file() and path.name != "package-lock.json")
    files = {f"extension/{path.relative_to(EXTENSION).as_posix()}": path.read_bytes() for path in paths}
    endings = sorted({Path(name).suffix for name in files} - {""})
    kinds = "".join(f'<Default Extension="{end}" ContentType="application/octet-stream"/>' for end in endings)
    words = {key: escape(str(value)) for key, value in described.items()}
    words |= {"engine": described["engines"]["vscode"], "categories": ",".join(described["categories"])}
    files["[Content_Types].xml"] = _TYPES.format(kinds).encode()
    files["extension.vsixmanifest"] = _MANIFEST.format(**words).encode()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return list(files)


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "sgl.vsix")
    sys.stderr.write(f"{target}: {len(pack(target)):,} files\n")
