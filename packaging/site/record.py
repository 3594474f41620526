"""Recordings of a terminal as animated SVG, of real runs of the command on a server of its own.

  record.py KINFORMER OUT     runs what recordings.txt says, and writes OUT/NAME.svg
"""

import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from fcntl import ioctl

import pyte

import recordings
import terminal_svg

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PATIENCE = 30  # seconds until a text must be there
PROMPT = "$ "


class Terminal:
    """A shell behind a pseudo-terminal, and the screens that it has shown, each with its time."""

    def __init__(self, columns, rows, environment):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.frames = []
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], environment)
        ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.began = time.monotonic()

    def read(self, seconds):
        """Follows the output for some time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.fd], [], [], left)[0]:
                continue
            try:
                self.stream.feed(os.read(self.fd, 65536))
            except OSError:
                return
            self.keep()

    def keep(self):
        frame = terminal_svg.lines_of(self.screen)
        if not self.frames or self.frames[-1][1] != frame:
            self.frames.append((time.monotonic() - self.began, frame))

    def until(self, pattern):
        end = time.monotonic() + PATIENCE
        while not re.search(pattern, "\n".join(self.screen.display).rstrip(), re.MULTILINE):
            if time.monotonic() > end:
                raise TimeoutError(f"{pattern} does not come; the screen is\n" +
                                   "\n".join(self.screen.display).rstrip())
            self.read(0.05)

    def send(self, text):
        os.write(self.fd, text.encode())

    def type(self, command):
        for character in command:
            self.send(character)
            self.read(0.035)
        self.read(0.3)
        self.send("\r")
        self.read(0.1)

    def close(self):
        os.close(self.fd)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def perform(terminal, steps, environment):
    for word, rest in steps:
        if word == "$":
            terminal.type(rest)
        elif word == "until":
            # What is typed is on the screen, too: wait for what follows it.
            terminal.until(rest if rest != r"\$ $" else r"\A(?s:.*)\n\$\s*\Z")
        elif word == "pause":
            terminal.read(float(rest))
        elif word == "key":
            terminal.send({"C-c": "\x03", "q": "q"}[rest])
        elif word == "beside":
            subprocess.run(["bash", "-c", rest], env=environment, check=True,
                           stdout=subprocess.DEVNULL, timeout=PATIENCE)
        else:
            raise ValueError(f"recordings.txt: {word} is no step")


def server(kinformer, folder):
    """The server's process, once it is ready."""
    kubeconfig = folder / "kubeconfig"
    process = subprocess.Popen(
        [kinformer, "apiserver", "--kubeconfig-out", kubeconfig, "--load",
         ROOT / "examples/cluster.yaml", "--simulate-workloads"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + PATIENCE
    while not kubeconfig.exists():
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError("kinformer apiserver does not start")
        time.sleep(0.05)
    return process


def main(kinformer, out):
    kinformer, out = pathlib.Path(kinformer).resolve(), pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    for name, columns, rows, title, steps in recordings.scripts():
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            environment = {"PATH": f"{kinformer.parent}:/usr/bin:/bin", "HOME": temporary,
                           "KUBECONFIG": str(folder / "kubeconfig"), "TERM": "xterm-256color",
                           "PS1": PROMPT, "LANG": "C.UTF-8"}
            process = server(kinformer, folder)
            terminal = Terminal(columns, rows, environment)
            try:
                terminal.until(r"\$")
                perform(terminal, steps, environment)
            finally:
                terminal.close()
                process.terminate()
                process.wait()
        (out / f"{name}.svg").write_text(terminal_svg.drawn(terminal.frames, columns, rows, title))
        print(f"{name}: {len(terminal.frames)} screens, {terminal.frames[-1][0]:.0f} s")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
