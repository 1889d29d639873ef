"""Work in a child process, whose death is an outcome."""

import json
import os
import resource
import select
import signal
import sys
import time


def guarded(work, seconds=10, memory=1 << 30):
    """Runs `work()` in a forked child and returns (its result, None), or (None, "Type: message").

    A child that dies or takes too long is an outcome too: malformed pickles may do either.
    """
    read_end, write_end = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        os.close(read_end)
        status = 0
        try:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            _, most = resource.getrlimit(resource.RLIMIT_STACK)
            resource.setrlimit(resource.RLIMIT_STACK, (8 << 20, most))
            with open(os.devnull, "r+b") as null:
                for stream in (0, 1, 2):
                    os.dup2(null.fileno(), stream)
            try:
                answer = {"ok": work()}
            except BaseException as error:  # whatever it is, it is the answer
                answer = {"error": describe(error)}
            view = memoryview(json.dumps(answer).encode("ascii"))
            while view:
                view = view[os.write(write_end, view) :]
        except BaseException:
            status = 1
        os._exit(status)
    os.close(write_end)
    parts = []
    end = time.monotonic() + seconds
    timed_out = False
    while True:
        left = end - time.monotonic()
        if left <= 0 or not select.select([read_end], [], [], left)[0]:
            timed_out = True
            os.kill(pid, signal.SIGKILL)
            break
        part = os.read(read_end, 1 << 20)
        if not part:
            break
        parts.append(part)
    os.close(read_end)
    _, status = os.waitpid(pid, 0)
    if timed_out:
        return None, f"Timeout: more than {seconds} s"
    if os.WIFSIGNALED(status):
        return None, f"Crash: {signal.Signals(os.WTERMSIG(status)).name}"
    try:
        answer = json.loads(b"".join(parts))
    except ValueError:
        return None, "Crash: no answer"
    if "error" in answer:
        return None, answer["error"]
    return answer["ok"], None


def describe(error):
    """`Type: message`, with what is not ASCII escaped, and cut where it echoes long input."""
    message = f"{type(error).__name__}: {error}"
    message = message.encode("ascii", "backslashreplace").decode("ascii")
    return message if len(message) <= 300 else message[:300] + "..."
