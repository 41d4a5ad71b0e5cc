/** Runs inside the interpreter, once: defines `_sandbox_run`, which runs a program on one input and says what came of it, as JSON. */
export const PYTHON_HARNESS = `
def _sandbox():
    import bisect, builtins, collections, functools, heapq, io, itertools, json, math, operator, os, random, re, string, sys, types, typing

    FILE = 'solution.py'
    GONE = ('js', 'pyodide', 'pyodide_js', '_pyodide', '_pyodide_core', 'micropip')

    class Gate:
        def find_spec(self, name, path=None, target=None):
            if name.partition('.')[0] in GONE:
                raise ImportError('there is no module ' + name + ' here')

    def close():
        sys.meta_path[:] = [Gate()] + [finder for finder in sys.meta_path if 'yodide' not in type(finder).__module__ and 'Js' not in type(finder).__name__]
        for name in [name for name in sys.modules if name.partition('.')[0] in GONE]:
            del sys.modules[name]
        os.environ.clear()

    def plain(value):
        if isinstance(value, (set, frozenset)):
            return sorted(value)
        if isinstance(value, (collections.deque, range, types.GeneratorType, map, filter, zip)):
            return list(value)
        raise TypeError('the result of type ' + type(value).__name__ + ' is no plain value')

    def line_of(error):
        if isinstance(error, SyntaxError) and error.filename == FILE:
            return error.lineno
        line = None
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == FILE:
                line = trace.tb_lineno
            trace = trace.tb_next
        return line

    def run(code, kind, text, name):
        # Whoever patches a module changes what comes next of the same program, and nothing else.
        random.seed(0)
        sys.argv = [FILE]
        sys.setrecursionlimit(3000)
        source = io.TextIOWrapper(io.BytesIO(text.encode('utf-8') if kind == 'stdin' else b''), encoding='utf-8')
        target = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, 'w', closefd=False), 65536), encoding='utf-8', errors='backslashreplace')
        sys.stdin, sys.stdout = source, target
        module = types.ModuleType('__main__' if kind == 'stdin' else 'solution')
        sys.modules[module.__name__] = module
        space = module.__dict__
        space['__builtins__'] = builtins
        result = {'kind': 'ended', 'value': None}
        try:
            if kind == 'call':
                # What such programs are written to find there.
                for each in (typing, collections, itertools, functools, heapq, bisect, math, operator, string):
                    space.update({key: getattr(each, key) for key in dir(each) if not key.startswith('_') and not hasattr(builtins, key)})
                space.update(bisect=bisect.bisect, collections=collections, functools=functools, heapq=heapq, itertools=itertools, math=math, random=random, re=re, string=string, sys=sys)
            exec(compile(code, FILE, 'exec', dont_inherit=True), space)
            if kind == 'call':
                solution = space.get('Solution')
                if isinstance(solution, type) and hasattr(solution, name):
                    called = getattr(solution(), name)
                elif callable(space.get(name)):
                    called = space[name]
                else:
                    return json.dumps({'kind': 'error', 'message': 'There is no function ' + name + '.', 'line': None})
                result['value'] = json.dumps(called(*json.loads(text)), allow_nan=False, default=plain)
        except SystemExit as error:
            if kind == 'call' or not (error.code is None or (type(error.code) is int and error.code == 0)):
                try:
                    words = repr(error.code)[:100]
                except BaseException:
                    words = 'something that cannot be shown'
                result = {'kind': 'error', 'message': 'It ended itself with ' + words + '.', 'line': line_of(error)}
        except MemoryError:
            return json.dumps({'kind': 'memory'})
        except BaseException as error:
            try:
                words = str(error)
            except BaseException:
                words = ''
            kind_of = type(error).__name__
            result = {'kind': 'error', 'message': (kind_of + ': ' + words if words else kind_of)[:500], 'line': line_of(error)}
        try:
            target.flush()
        except BaseException:
            pass
        return json.dumps(result)

    close()
    return run

_sandbox_run = _sandbox()
del _sandbox
`;
