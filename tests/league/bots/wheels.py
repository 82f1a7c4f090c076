"""Wheels made here, so that pip needs no network."""

import hashlib
import zipfile
from pathlib import Path


def wheel(folder: Path, name: str = "tiny", code: str = "WORD = 'bean'\n", version: str = "1.0") -> Path:
    """Make a wheel with one module, in the same bytes each time."""
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": code,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as packed:
        for inside, text in files.items():
            packed.writestr(zipfile.ZipInfo(inside), text)
    return path


def requirements(*wheels: Path, hashed: bool = True) -> Path:
    """Return a file that asks for these wheels."""
    file = wheels[0].parent / "requirements.txt"
    lines = []
    for path in wheels:
        seal = f" --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}" if hashed else ""
        lines.append(f"{path.name.partition('-')[0]} @ file://{path}{seal}\n")
    file.write_text("".join(lines))
    return file
