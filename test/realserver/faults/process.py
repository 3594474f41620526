"""Process: a program with a line protocol on its standard input and output."""

import os
import queue
import signal
import subprocess
import threading


class Ended(Exception):
    """The program has ended, or does not answer in time."""


class Process:
    """Its output is read line by line; standard error goes to a file. It ends with us, since its
    standard input closes then."""

    def __init__(self, arguments, log, environment=None):
        with open(log, "ab") as errors:
            self._child = subprocess.Popen(
                arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True,
                bufsize=1, env={**os.environ, **(environment or {})})
        self._name = os.path.basename(arguments[0])
        self._lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self._child.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def line(self, timeout):
        try:
            line = self._lines.get(timeout=timeout)
        except queue.Empty:
            raise Ended(f"{self._name} has said nothing for {timeout} s") from None
        if line is None:
            self._lines.put(None)
            raise Ended(f"{self._name} has ended with {self._child.wait()}")
        return line

    def wait_for(self, prefix, timeout):
        """The next line that begins with prefix."""
        while not (line := self.line(timeout)).startswith(prefix):
            pass
        return line

    def ask(self, command, timeout=30):
        """The lines of the answer, up to the line `end`."""
        try:
            self._child.stdin.write(command + "\n")
        except (BrokenPipeError, ValueError):
            raise Ended(f"{self._name} has ended with {self._child.wait()}") from None
        lines = []
        while (line := self.line(timeout)) != "end":
            lines.append(line)
        return lines

    def send(self, number):
        """A signal, such as SIGSTOP; does not wait."""
        self._child.send_signal(number)

    def wait(self, timeout):
        """The exit status; negative: the signal that has ended it."""
        try:
            return self._child.wait(timeout)
        except subprocess.TimeoutExpired:
            raise Ended(f"{self._name} has not ended within {timeout} s") from None

    def stop(self, number=signal.SIGTERM):
        if self._child.poll() is None:
            self._child.send_signal(number)
        try:
            self._child.wait(30)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
