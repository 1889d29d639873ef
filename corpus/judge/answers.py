"""Questions about pairs of pickles, and their answers."""

import copyreg
import json
import os
import pickle
import pickletools
import resource
import select
import signal
import sys
import threading
import types

import groups.zoo  # noqa: F401  the classes that pickles name
import record
from guard import describe
from judge.same import difference

SECONDS = 60
MEMORY = 6 << 30
STACK = 512 << 20
RECURSION = 200_000


class Nowhere:
    """Takes what is printed, and keeps nothing of it."""

    def write(self, _text):
        pass


def load(data, question, buffers):
    options = {"encoding": question.get("encoding") or "ASCII"}
    if buffers is not None:
        options["buffers"] = [bytes.fromhex(buffer) for buffer in buffers]
    if not question.get("persid"):
        return pickle.loads(data, **options)

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, pid):
            return pid

    return Unpickler(record.Whole(data), **options).load()


def outcome(data, question, buffers):
    """(value, None) or (None, error)"""
    try:
        return load(data, question, buffers), None
    except BaseException as error:  # a pickle may even raise SystemExit
        return None, error.with_traceback(None)


def compared(question):
    """(whether the two load alike, why not)"""
    registered = record.register(question.get("extensions"))
    try:
        a, refused = outcome(bytes.fromhex(question["original"]), question, question.get("buffers"))
        b, refused_too = outcome(bytes.fromhex(question["output"]), question, question.get("output_buffers"))
        if refused is not None and refused_too is not None:
            if type(refused) is type(refused_too):
                return True, f"both fail: {type(refused).__name__}"
            return False, f"both fail: {describe(refused)}, and {describe(refused_too)}"
        if refused is not None:
            return False, f"the original fails: {describe(refused)}"
        if refused_too is not None:
            return False, f"the output fails: {describe(refused_too)}"
        why = difference(a, b)
        return why is None, why
    finally:
        for entry in registered:
            copyreg.remove_extension(*entry)


def dis_error(data):
    limit = sys.get_int_max_str_digits()
    # It prints ints, and their length is no fault of the pickle.
    sys.set_int_max_str_digits(300_000)
    try:
        pickletools.dis(data, out=Nowhere(), indentlevel=0)
        return None
    except Exception as error:
        return describe(error)
    finally:
        sys.set_int_max_str_digits(limit)


def answer(line):
    found = {"same": False, "why": None, "dis": False, "dis_error": None}
    try:
        question = json.loads(line)
        found["same"], found["why"] = compared(question)
        found["dis_error"] = dis_error(bytes.fromhex(question["output"]))
        found["dis"] = found["dis_error"] is None
    except BaseException as error:
        found["why"] = f"the judge fails: {describe(error)}"
    return json.dumps(found).encode("ascii") + b"\n"


class Child:
    """A process that answers, since pickles may end the one that loads them."""

    def __init__(self):
        asks, self.asks = os.pipe()
        self.answers, answers = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(self.asks)
                os.close(self.answers)
                serve(asks, answers)
            finally:
                os._exit(0)
        os.close(asks)
        os.close(answers)

    def ask(self, line):
        """The answer, or why there is none; then the child is gone."""
        view = memoryview(line)
        parts = []
        try:
            while view:
                view = view[os.write(self.asks, view) :]
            while not parts or not parts[-1].endswith(b"\n"):
                if not select.select([self.answers], [], [], SECONDS)[0]:
                    os.kill(self.pid, signal.SIGKILL)
                    self.end()
                    return None, f"more than {SECONDS} s"
                part = os.read(self.answers, 1 << 20)
                if not part:
                    break
                parts.append(part)
            else:
                return b"".join(parts), None
        except BrokenPipeError:
            pass
        status = self.end()
        return None, signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else "it ended"

    def end(self):
        os.close(self.asks)
        os.close(self.answers)
        return os.waitpid(self.pid, 0)[1]


def serve(asks, answers):
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with open(os.devnull, "r+b") as null:
        for stream in (0, 1, 2):
            os.dup2(null.fileno(), stream)
    # What a pickle asks of __main__ must not depend on what runs here.
    sys.modules["__main__"] = types.ModuleType("__main__")

    def work():
        with os.fdopen(asks, "rb") as questions:
            for line in questions:
                view = memoryview(answer(line))
                while view:
                    view = view[os.write(answers, view) :]

    sys.setrecursionlimit(RECURSION)
    threading.stack_size(STACK)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def judge(questions, out):
    """Answers each line of `questions` with a line."""
    child = None
    for line in questions:
        if not line.endswith(b"\n"):
            line += b"\n"
        child = child or Child()
        found, why = child.ask(line)
        if found is None:
            child = None
            found = {"same": False, "why": f"the judge fails: {why}", "dis": False, "dis_error": None}
            found = json.dumps(found).encode("ascii") + b"\n"
        try:
            out.write(found)
            out.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
            break
    if child is not None:
        child.end()
