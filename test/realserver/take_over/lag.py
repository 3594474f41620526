"""LaggingEtcd: a proxy between a kube-apiserver and its etcd, by which the server's watches are
late, and nothing else is: so its reads of etcd and its writes are as ever, but what it tells its
own clients of, and answers from its cache, is old."""

import collections
import socket
import threading
import time

from proxy import PIECE, steady_port

PREFACE = 24  # bytes with which a client of HTTP/2 begins
HEAD = 9  # bytes of a frame's head
DATA, HEADERS, RST_STREAM, PING = 0, 1, 3, 6
END_STREAM = ACK = 1


class Frame:
    """One frame of HTTP/2 (RFC 9113, 4.1)."""

    def __init__(self, text):
        self.text = text
        self.type = text[3]
        self.stream = int.from_bytes(text[5:HEAD], "big") & 0x7FFFFFFF

    @property
    def ends_stream(self):
        return self.type == RST_STREAM or (self.type in (DATA, HEADERS)
                                           and self.text[4] & END_STREAM)


def frames_of(source):
    """The frames that come over a socket, until it ends."""
    buffer = bytearray()
    while True:
        while len(buffer) >= HEAD:
            size = HEAD + int.from_bytes(buffer[:3], "big")
            if len(buffer) < size:
                break
            yield Frame(bytes(buffer[:size]))
            del buffer[:size]
        piece = source.recv(PIECE)
        if not piece:
            return
        buffer += piece


class Connection:
    """Holds what etcd answers on the streams that its client has not ended: a request for one
    answer ends its stream at once, and a watch never does."""

    def __init__(self, proxy, client, etcd):
        self._proxy = proxy
        self._client = client
        self._etcd = etcd
        self._open = set()  # streams that the client has not ended
        self._held = collections.deque()  # (when it is due, bytes)
        self._changed = threading.Condition()
        self._gone = False
        for work in (self._up, self._down, self._deliver):
            threading.Thread(target=self._run, args=(work,), daemon=True).start()

    def _run(self, work):
        try:
            work()
        except OSError:
            pass
        self.close()

    def _up(self):
        preface = b""
        while len(preface) < PREFACE:
            piece = self._client.recv(PREFACE - len(preface))
            if not piece:
                return
            preface += piece
        self._etcd.sendall(preface)
        for frame in frames_of(self._client):
            if frame.type == HEADERS:
                self._open.add(frame.stream)
            if frame.ends_stream:
                self._open.discard(frame.stream)
            if frame.type == PING and not frame.text[4] & ACK:
                self._answer(frame)
            else:
                self._etcd.sendall(frame.text)

    def _answer(self, ping):
        """Pings measure how long data takes. Etcd ends connections with pings that come when it has
        not just sent any."""
        answer = bytearray(ping.text)
        answer[4] |= ACK
        with self._changed:
            self._client.sendall(answer)

    def _down(self):
        for frame in frames_of(self._etcd):
            with self._changed:
                if frame.type == DATA and frame.stream in self._open:
                    self._hold(frame)
                    continue
                # The end of a stream follows all of it.
                if frame.ends_stream and frame.stream in self._open:
                    self._flush(float("inf"))
                self._client.sendall(frame.text)

    def _hold(self, frame):
        due = time.monotonic() + self._proxy.lag
        if self._held:
            due = max(due, self._held[-1][0])
        elif self._proxy.lag == 0:
            self._client.sendall(frame.text)
            return
        self._held.append((due, frame.text))
        self._proxy.late += 1
        self._changed.notify()

    def _flush(self, now):
        while self._held and self._held[0][0] <= now:
            self._client.sendall(self._held.popleft()[1])

    def _deliver(self):
        with self._changed:
            while not self._gone:
                self._flush(time.monotonic())
                self._changed.wait(self._held[0][0] - time.monotonic() if self._held else None)

    def close(self):
        for one in (self._client, self._etcd):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it is closed already
        with self._changed:
            self._gone = True
            self._changed.notify()


class LaggingEtcd:
    """Listens on `port`. `lag`: seconds by which events are late from now on; those that are under
    way keep their time, and are not overtaken. `late`: how many messages were."""

    def __init__(self, etcd_port):
        self.port = steady_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.lag = 0
        self.late = 0
        self._etcd_port = etcd_port
        self._open = []
        self._listener = socket.create_server(("127.0.0.1", self.port), backlog=256)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
                etcd = socket.create_connection(("127.0.0.1", self._etcd_port))
            except OSError:
                return
            for one in (client, etcd):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._open.append(Connection(self, client, etcd))

    def close(self):
        self._listener.close()
        for connection in self._open:
            connection.close()
