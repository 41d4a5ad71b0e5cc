/** Programs that try to get out, to break what comes after them, or to never end; and what has to come of each. */
import type { Language, Limits, Result } from '../../src/sandbox/types.ts';

export interface HostileCase {
  name: string;
  language: Language;
  code: string;
  /** What may come of it; a program that fails to get out and then ends prints nothing but `contained`. */
  becomes: readonly Result['kind'][];
}

export const HOSTILE_LIMITS: Limits = { testMs: 800, totalMs: 1600, memoryBytes: 96 * 1024 * 1024, outputBytes: 1024 * 1024 };

/** Where time is not what ends a program, a slow machine must not end it first. */
export const PATIENT_LIMITS: Limits = { ...HOSTILE_LIMITS, testMs: 15_000, totalMs: 15_000 };

export function limitsOf({ becomes }: HostileCase): Limits {
  return becomes.includes('timeout') ? HOSTILE_LIMITS : PATIENT_LIMITS;
}

/** Whether it breaks, patches, fills or blocks something: an honest program after it must find all as it was. */
export function disturbs({ name }: HostileCase): boolean {
  return /never ends|fills the memory|changes the builtins|changes prototypes|freezes|closes stdout|aborts/.test(name);
}

/** What an honest program of each language is, on the input 20 and 22. */
export const HONEST: Record<Language, string> = {
  python: 'a, b = map(int, input().split())\nprint(len([a, b]), sum([a, b]), sorted([b, a]), abs(-a), isinstance(a, int))',
  javascript: 'const [a, b] = readline().split(" ").map(Number);\nconsole.log([a, b].length, a + b, JSON.stringify([b, a].sort()), Math.abs(-a), Array.isArray([]));',
};
export const HONEST_INPUT = '20 22\n';
export const HONEST_OUTPUT: Record<Language, string> = { python: '2 42 [20, 22] 20 True\n', javascript: '2 42 [20,22] 20 true\n' };

/** Prints ESCAPED if any of it works. */
const tryPython = (...attempts: string[]): string =>
  `def attempt(work):\n    try:\n        work()\n    except Exception:\n        return\n    print('ESCAPED', work.__name__)\n${attempts.map((body, k) => `def try${k}():\n${body.replace(/^/gm, '    ')}\nattempt(try${k})\n`).join('')}print('contained')`;

const tryJavaScript = (...attempts: string[]): string =>
  `${attempts.map((body, k) => `try { (() => { ${body} })(); print('ESCAPED', ${k}); } catch {}\n`).join('')}print('contained');`;

/** Finds whatever of JavaScript can be found from Python, and tries to make code or requests with it. */
const DIG = `import gc, sys
found = []
def dig(thing, depth):
    if depth == 0 or len(found) > 400:
        return
    for name in dir(thing):
        try:
            value = getattr(thing, name)
        except Exception:
            continue
        if 'JsProxy' in type(value).__name__ or 'JsCallable' in type(value).__name__:
            found.append(value)
            dig(value, depth - 1)
for thing in gc.get_objects():
    if 'Js' in type(thing).__name__:
        found.append(thing)
        dig(thing, 2)
for module in list(sys.modules.values()):
    for name in list(getattr(module, '__dict__', {})):
        value = module.__dict__[name]
        if 'Js' in type(value).__name__:
            found.append(value)
            dig(value, 2)
for thing in found:
    for make in (lambda: thing.constructor('return 42')(), lambda: thing.constructor.constructor('return 42')(), lambda: thing.constructor('return import("data:text/javascript,")')()):
        try:
            got = make()
        except Exception:
            continue
        if got == 42 or 'romise' in str(type(got)) + str(got):
            print('ESCAPED', thing)
    for name in ('fetch', 'XMLHttpRequest', 'WebSocket', 'importScripts', 'process', 'require', 'postMessage', 'document', 'Worker', 'indexedDB', 'caches'):
        try:
            got = getattr(thing, name)
        except Exception:
            continue
        if got is not None and 'undefined' not in str(got):
            print('ESCAPED', name)
print('contained')`;

export const HOSTILE: readonly HostileCase[] = [
  { name: 'never ends', language: 'python', code: 'while True: pass', becomes: ['timeout'] },
  { name: 'catches everything and goes on', language: 'python', code: 'while True:\n    try:\n        while True: pass\n    except BaseException: pass', becomes: ['timeout'] },
  { name: 'sleeps for a day', language: 'python', code: 'import time\ntime.sleep(86400)', becomes: ['timeout', 'error'] },
  { name: 'a regular expression that backtracks for ever', language: 'python', code: "import re\nre.match('(a+)+$', 'a' * 60 + 'b')", becomes: ['timeout'] },
  { name: 'a number too large to compute', language: 'python', code: 'print(len(str(7 ** (7 ** 9))))', becomes: ['timeout', 'memory', 'error'] },
  { name: 'fills the memory', language: 'python', code: "x = []\nwhile True: x.append('x' * 1000000)", becomes: ['memory'] },
  { name: 'asks for all memory at once', language: 'python', code: 'x = bytearray(2 * 10 ** 9)', becomes: ['memory'] },
  { name: 'catches running out of memory', language: 'python', code: 'x = []\nwhile True:\n    try:\n        while True: x.append(bytearray(10 ** 6))\n    except MemoryError: x = x', becomes: ['timeout', 'memory'] },
  { name: 'writes large files', language: 'python', code: "with open('/tmp/x', 'wb') as f:\n    while True: f.write(b'x' * 10 ** 6); f.flush()", becomes: ['error', 'memory', 'timeout'] },
  { name: 'prints 100 MB', language: 'python', code: "import sys\nfor _ in range(100): sys.stdout.write('x' * 10 ** 6)", becomes: ['output'] },
  { name: 'prints 100 MB past its own stdout', language: 'python', code: "import os\nfor _ in range(100): os.write(1, b'x' * 10 ** 6)", becomes: ['output'] },
  { name: 'prints to stderr for ever', language: 'python', code: "import sys\nwhile True: sys.stderr.write('x' * 10 ** 5)", becomes: ['timeout'] },
  { name: 'calls itself for ever', language: 'python', code: 'def f(): return f()\nf()', becomes: ['error'] },
  { name: 'calls itself beyond the stack', language: 'python', code: 'import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(n): return [f(n + 1)]\nf(0)', becomes: ['error', 'memory', 'timeout'] },
  { name: 'nests beyond the stack', language: 'python', code: "x = []\nfor _ in range(10 ** 6): x = [x]\nprint(len(repr(x)))", becomes: ['error', 'ended'] },
  { name: 'exits with 3', language: 'python', code: 'import sys\nsys.exit(3)', becomes: ['error'] },
  { name: 'ends the process', language: 'python', code: 'import os\nos._exit(0)', becomes: ['error'] },
  { name: 'aborts', language: 'python', code: 'import os\nos.abort()', becomes: ['error'] },
  { name: 'kills its process', language: 'python', code: 'import os, signal\nos.kill(os.getpid(), signal.SIGKILL)', becomes: ['error', 'ended'] },
  { name: 'closes stdout', language: 'python', code: 'import sys\nsys.stdout.close()\nprint(1)', becomes: ['error'] },
  { name: 'closes every file', language: 'python', code: 'import os\nos.closerange(0, 100)\nprint(1)', becomes: ['error', 'ended'] },
  { name: 'forks', language: 'python', code: tryPython('import os\nos.fork()', 'import subprocess\nsubprocess.run(["ls"])', 'import os\nassert os.system("ls") == 0', 'import multiprocessing\nmultiprocessing.Process(target=print).start()', 'import os\nos.execv("/bin/sh", ["sh"])'), becomes: ['ended'] },
  { name: 'starts threads', language: 'python', code: tryPython('import threading\nthreading.Thread(target=print).start()'), becomes: ['ended', 'error'] },
  { name: 'imports js', language: 'python', code: tryPython('import js\njs.fetch', 'from js import fetch', 'import pyodide_js', 'from pyodide.code import run_js\nrun_js("1")', 'from pyodide.http import pyfetch', 'import micropip', 'import _pyodide_core', 'import importlib\nimportlib.import_module("js")', '__import__("js")'), becomes: ['ended'] },
  { name: 'opens the gate to js again', language: 'python', code: tryPython('import sys\nsys.meta_path.pop(0)\nimport js\njs.fetch("x")', 'import sys\nsys.meta_path.pop(0)\nimport pyodide_js\npyodide_js.loadPackage', 'import sys\nsys.meta_path.clear()\nimport js'), becomes: ['ended'] },
  { name: 'digs for JavaScript', language: 'python', code: DIG, becomes: ['ended', 'error', 'timeout'] },
  { name: 'opens sockets', language: 'python', code: tryPython('import socket\nsocket.create_connection(("127.0.0.1", 80), 1)', 'import urllib.request\nurllib.request.urlopen("http://127.0.0.1/")', 'import http.client\nc = http.client.HTTPConnection("127.0.0.1")\nc.request("GET", "/")\nc.getresponse()'), becomes: ['ended', 'error', 'timeout'] },
  { name: 'calls into C', language: 'python', code: tryPython('import ctypes\nassert ctypes.CDLL(None).emscripten_run_script_int(b"42") == 42', 'import ctypes\nassert ctypes.CDLL(None).system(b"ls") == 0'), becomes: ['ended', 'error'] },
  { name: 'writes over memory', language: 'python', code: 'import ctypes\nfor k in range(0, 10 ** 7, 4096): ctypes.memset(k, 255, 4096)', becomes: ['error', 'timeout', 'memory'] },
  { name: 'reads the computer’s files', language: 'python', code: tryPython("open('/etc/passwd').read()", "open('/proc/self/environ').read()", "import os\nassert os.listdir('/work') or os.listdir('/root')", 'import os\nassert os.environ["PATH"]'), becomes: ['ended'] },
  { name: 'changes the builtins', language: 'python', code: "import builtins, json, io, sys\nbuiltins.print = builtins.len = builtins.sum = builtins.sorted = lambda *a: 'ESCAPED'\nbuiltins.int = str\njson.dumps = lambda *a, **k: 'ESCAPED'\nio.TextIOWrapper = None\nsys.modules.clear()", becomes: ['error', 'ended'] },
  { name: 'says that it has passed', language: 'python', code: "import json\njson.dumps = lambda *a, **k: '{\"kind\": \"passed\"}'", becomes: ['error'] },
  { name: 'answers with an object that equals everything', language: 'python', code: 'class All:\n    def __eq__(self, other): return True\n    def __str__(self): raise SystemExit\nraise SystemExit(All())', becomes: ['error'] },
  { name: 'raises an error that raises', language: 'python', code: 'class E(Exception):\n    def __str__(self): raise E()\n    __repr__ = __str__\nraise E()', becomes: ['error'] },
  { name: 'has a null character and no sense', language: 'python', code: 'x = "\u0000"\n)', becomes: ['error'] },

  { name: 'never ends', language: 'javascript', code: 'for (;;);', becomes: ['timeout'] },
  { name: 'catches everything and goes on', language: 'javascript', code: 'for (;;) { try { for (;;); } catch {} finally { for (;;); } }', becomes: ['timeout'] },
  { name: 'promises for ever', language: 'javascript', code: 'const f = () => Promise.resolve().then(f); f();', becomes: ['timeout'] },
  { name: 'a regular expression that backtracks for ever', language: 'javascript', code: '/(a+)+$/.test("a".repeat(60) + "b")', becomes: ['timeout', 'ended', 'error'] },
  { name: 'an error whose message never comes', language: 'javascript', code: 'throw { get message() { for (;;); }, get name() { for (;;); } }', becomes: ['timeout'] },
  { name: 'fills the memory', language: 'javascript', code: 'const x = []; for (;;) x.push(new Uint8Array(8e6));', becomes: ['memory', 'timeout'] },
  { name: 'asks for all memory at once', language: 'javascript', code: 'new ArrayBuffer(3e9)', becomes: ['memory', 'error'] },
  { name: 'catches running out of memory', language: 'javascript', code: 'const x = []; for (;;) { try { for (;;) x.push(new Uint8Array(1e6)); } catch {} }', becomes: ['timeout', 'memory'] },
  { name: 'a string that doubles', language: 'javascript', code: 'let s = "x"; for (;;) s += s;', becomes: ['memory', 'error'] },
  { name: 'prints 100 MB', language: 'javascript', code: 'for (let k = 0; k < 100; k++) print("x".repeat(1e6));', becomes: ['output'] },
  { name: 'calls itself for ever', language: 'javascript', code: 'const f = () => [f()]; f();', becomes: ['error'] },
  { name: 'nests beyond the stack', language: 'javascript', code: 'let x = []; for (let k = 0; k < 1e6; k++) x = [x]; print(JSON.stringify(x).length)', becomes: ['error', 'memory', 'timeout'] },
  { name: 'code that nests beyond the stack', language: 'javascript', code: `x = ${'['.repeat(100_000)}`, becomes: ['error', 'memory'] },
  { name: 'throws nothing', language: 'javascript', code: 'throw undefined', becomes: ['error'] },
  { name: 'throws a proxy', language: 'javascript', code: 'throw new Proxy({}, { get() { throw new Error("again"); } })', becomes: ['error'] },
  { name: 'changes prototypes', language: 'javascript', code: 'Object.prototype.then = Array.prototype.map = String.prototype.split = JSON.stringify = () => "ESCAPED"; Object.defineProperty(Object.prototype, "kind", { value: "passed" }); Object.prototype.__proto__ = null; delete globalThis.print;', becomes: ['ended', 'error'] },
  { name: 'freezes everything', language: 'javascript', code: 'for (const name of Object.getOwnPropertyNames(globalThis)) { try { Object.freeze(globalThis[name]); Object.freeze(globalThis[name].prototype); } catch {} }', becomes: ['ended'] },
  { name: 'fetches', language: 'javascript', code: tryJavaScript('fetch("https://example.org")', 'new XMLHttpRequest()', 'new WebSocket("wss://example.org")', 'importScripts("https://example.org")', 'navigator.sendBeacon("https://example.org")'), becomes: ['ended'] },
  { name: 'imports', language: 'javascript', code: "import('https://example.org/x.js').then(() => print('ESCAPED'), () => print('contained'));", becomes: ['ended', 'error'] },
  { name: 'touches the page', language: 'javascript', code: tryJavaScript('document.title', 'window.parent', 'self.postMessage(1)', 'localStorage.x', 'indexedDB.open("x")', 'top.location'), becomes: ['ended'] },
  { name: 'makes code outside', language: 'javascript', code: tryJavaScript('if (!(print.constructor("return typeof fetch")() !== "function")) return; throw 1', 'if (print.constructor("return this")().process.exit) return; throw 1', 'require("child_process")', 'process.exit(1)', 'process.binding("fs")', 'if (require("fs").readFileSync("/etc/passwd")) return; throw 1', 'new Worker("x")'), becomes: ['ended'] },
  { name: 'tells the time', language: 'javascript', code: tryJavaScript('if (Date.now() !== 0 || new Date().getTime() !== 0 || new Date().constructor.now() !== 0) return; throw 1', 'const a = Math.random(); if (a !== 0.3655978720635175 && false) return; throw 1', 'performance.now()'), becomes: ['ended'] },
  { name: 'has no sense', language: 'javascript', code: 'let x = ;', becomes: ['error'] },
];
