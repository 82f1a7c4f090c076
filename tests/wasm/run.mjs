// Runs the Python program on standard input in WebAssembly, with a folder of this machine as /here, and ends as it does:
//   node run.mjs FOLDER < program.py
import { readFileSync } from "node:fs";
import { loadPyodide } from "pyodide";

const python = await loadPyodide({ env: { HOME: "/tmp", PYTHONDONTWRITEBYTECODE: "1", PYTHONHASHSEED: "0" } });
python.FS.mkdir("/here");
python.FS.mount(python.FS.filesystems.NODEFS, { root: process.argv[2] }, "/here");
try {
    python.runPython(readFileSync(0, "utf-8"));
} catch (error) {
    console.error(error.message);
    process.exitCode = 1;
}
