"""ApiServer: a `kinformer apiserver` that ends with this program, however this program ends."""

from __future__ import annotations

import atexit
import dataclasses
import json
import os
import pathlib
import re
import secrets
import selectors
import shutil
import ssl
import subprocess
import tempfile
import time
import types
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import IO, Any


class ServerError(Exception):
    """The server could not be started, or answered a request with an error."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        """The HTTP status of the answer; None if there was none."""


@dataclasses.dataclass(frozen=True)
class Options:
    """How a server is started; `kinformer apiserver --help` explains the options."""

    load: Sequence[str | os.PathLike[str]] = ()
    """Files or folders of manifests, or a saved state, that are there from the start."""
    simulate_workloads: bool | str | os.PathLike[str] = False
    """Brings Deployments, Jobs and so on to life; a path names a script."""
    authorization_mode: str = "AlwaysAllow"
    """Or "RBAC". The user of the kubeconfig may do everything in either mode."""
    field_owners: bool = True
    """Tracks metadata.managedFields, as a real server does."""
    args: Sequence[str] = ()
    """Further arguments."""
    start_timeout: float = 30
    """Seconds until a server that is not ready is given up."""


def command() -> str:
    """Returns the path of the program: $KINFORMER_COMMAND, or the one in this package."""
    given = os.environ.get("KINFORMER_COMMAND")
    path = given or str(pathlib.Path(__file__).parent / "bundle" / "bin" / "kinformer")
    if not os.access(path, os.X_OK):
        where = "KINFORMER_COMMAND names" if given else "this installation of kinformer lacks"
        raise ServerError(f"{where} {path}, which is no program: install the wheel again")
    return path


class ApiServer:
    """A running server. A context manager; `stop` ends it otherwise."""

    url: str
    """https://127.0.0.1:PORT"""
    kubeconfig: str
    """The path of a kubeconfig; its user is in the group system:masters."""
    token: str
    """The bearer token of that user."""
    ca_file: str
    """The path of the authority that has signed the server's certificate, PEM."""

    def __init__(self, options: Options | None = None) -> None:
        self.options = options or Options()
        self.token = secrets.token_urlsafe(24)
        self._folder = tempfile.mkdtemp(prefix="kinformer-")
        self.kubeconfig = os.path.join(self._folder, "kubeconfig")
        self.ca_file = os.path.join(self._folder, "ca.crt")
        self._log = os.path.join(self._folder, "log")
        self._process: subprocess.Popen[bytes] | None = None
        atexit.register(self.stop)
        try:
            self.url = self._start()
        except BaseException:
            self.stop()
            raise
        self._tls = ssl.create_default_context(cafile=self.ca_file)

    def __enter__(self) -> ApiServer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: types.TracebackType | None) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """The id of the server's process."""
        if self._process is None:
            raise ServerError("the server has been stopped")
        return self._process.pid

    def stop(self) -> None:
        """Ends the server and removes its files. May be repeated."""
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        atexit.unregister(self.stop)

    def request(self, method: str, path: str, body: Any = None,
                content_type: str = "application/json") -> Any:
        """Sends a request as the user of the kubeconfig, and returns the JSON of the answer.

        `body` is an object for JSON, or bytes that are sent as they are.
        """
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        answer = self._send(method, path, data, content_type)
        return json.loads(answer) if answer else None

    def snapshot(self) -> bytes:
        """Returns all that is stored, for `restore` of this or another server."""
        return self._send("GET", "/debug/snapshot", None, "")

    def restore(self, state: bytes) -> None:
        """Replaces all that is stored. Open watches end with 410, and clients list again."""
        self._send("PUT", "/debug/snapshot", state, "application/octet-stream")

    def _send(self, method: str, path: str, data: bytes | None, content_type: str) -> bytes:
        request = urllib.request.Request(self.url + path, data, method=method)
        request.add_header("Authorization", f"Bearer {self.token}")
        if data is not None:
            request.add_header("Content-Type", content_type)
        try:
            with urllib.request.urlopen(request, context=self._tls, timeout=60) as answer:
                return bytes(answer.read())
        except urllib.error.HTTPError as error:
            text = _message(error.read())
            raise ServerError(f"{method} {path}: {error.code}: {text}", error.code) from None
        except urllib.error.URLError as error:
            raise ServerError(f"{method} {path}: {error.reason}\n{self._said()}") from None

    def _arguments(self) -> list[str]:
        options = self.options
        arguments = ["apiserver", "--listen", "127.0.0.1:0", "--stop-with-stdin",
                     "--debug-endpoints", "--tls", "--cert-dir", self._folder,
                     "--kubeconfig-out", self.kubeconfig,
                     "--authorization-mode", options.authorization_mode]
        for path in options.load:
            arguments += ["--load", os.fspath(path)]
        if options.simulate_workloads is True:
            arguments.append("--simulate-workloads")
        elif options.simulate_workloads:
            arguments.append(f"--simulate-workloads={os.fspath(options.simulate_workloads)}")
        if options.field_owners:
            arguments.append("--field-owners")
        return [*arguments, *options.args]

    def _start(self) -> str:
        program = command()
        environment = {**os.environ, "KINFORMER_APISERVER_TOKEN": self.token}
        try:
            with open(self._log, "wb") as log:
                process = self._process = subprocess.Popen(
                    [program, *self._arguments()], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                    stderr=log, env=environment)
        except OSError as error:
            raise ServerError(f"{program} does not run on this machine: {error}") from error
        assert process.stdout is not None
        said = _read_until(process.stdout, b"kubeconfig in ", self.options.start_timeout)
        found = re.search(rb"^serving at (\S+)$", said, re.MULTILINE)
        if b"kubeconfig in " in said and found:
            return found.group(1).decode()
        ended = process.poll() is not None or said.endswith(b"\0")
        how = "ended at its start" if ended else (
            f"is not ready after {self.options.start_timeout} s")
        raise ServerError(f"{program} apiserver {how}:\n{self._said()}")

    def _said(self) -> str:
        """What the server has written to standard error."""
        try:
            return pathlib.Path(self._log).read_text(errors="replace").strip()
        except OSError:
            return ""


def _message(body: bytes) -> str:
    """The message of a Status; the whole text if it is none."""
    try:
        return str(json.loads(body)["message"])
    except (ValueError, KeyError, TypeError):
        return body.decode(errors="replace").strip()


def _read_until(pipe: IO[bytes], text: bytes, seconds: float) -> bytes:
    """Reads until `text` has come, or the end (then the last byte is a zero), or the time is up."""
    end = time.monotonic() + seconds
    read = b""
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while text not in read:
            if not selector.select(max(0.0, end - time.monotonic())):
                return read
            piece = os.read(pipe.fileno(), 4096)
            if not piece:
                return read + b"\0"
            read += piece
    return read
