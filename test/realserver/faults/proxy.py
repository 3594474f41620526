"""Proxy: a TCP proxy on a port of its own that can stall, refuse, and let connections die. With
several servers behind it, it is a balancer."""

import random
import socket
import struct
import threading

PIECE = 65536
AT_ONCE = struct.pack("ii", 1, 0)  # SO_LINGER: a close is a reset


def steady_port():
    """A port that stays free while nobody listens: outgoing connections get none below 32768."""
    while True:
        port = random.randrange(20000, 32000)
        try:
            socket.create_server(("127.0.0.1", port)).close()
            return port
        except OSError:
            pass


class Connection:
    """One client's connection and the one behind it."""

    def __init__(self, proxy, client, server, limit):
        self.proxy = proxy
        self.upstream = server.getpeername()[1]
        self.sockets = (client, server)
        self.left = limit  # bytes to the client before it goes dead; None: no end
        self.gone = threading.Event()
        self.dead = False
        for source, sink, down in ((client, server, False), (server, client, True)):
            threading.Thread(target=self._pump, args=(source, sink, down), daemon=True).start()

    def _pump(self, source, sink, down):
        try:
            while piece := source.recv(PIECE):
                self.proxy.flowing.wait()
                if down and self.left is not None:
                    piece, self.left = piece[:self.left], self.left - len(piece)
                    sink.sendall(piece)
                    self.dead = self.dead or self.left <= 0
                if self.dead:  # nobody hears of anything any more
                    self.gone.wait()
                    break
                if not (down and self.left is not None):
                    sink.sendall(piece)
        except OSError:
            pass
        if not self.dead:
            self.close()

    def close(self, reset=False):
        self.gone.set()
        for one in self.sockets:
            try:
                if reset:
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
                    one.shutdown(socket.SHUT_RD)  # wakes who reads; the close is what resets
                else:
                    one.shutdown(socket.SHUT_RDWR)
                one.close()
            except OSError:
                pass


class Proxy:
    """Forwards to ports of 127.0.0.1. All methods return at once."""

    def __init__(self):
        self.upstreams = []  # each connection goes to the next of them that takes it
        self.port = steady_port()
        self.connections = 0  # accepted so far
        self.flowing = threading.Event()
        self.flowing.set()
        self._limit = None
        self._turn = 0
        self._open = []
        self._listener = None
        self.admit()

    def admit(self):
        """Accepts connections; after refuse, again."""
        if self._listener is not None:
            return
        self._listener = socket.create_server(("127.0.0.1", self.port), backlog=256)
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def refuse(self):
        """Resets every connection, and refuses new ones."""
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        self._close_all()

    def stall(self):
        """Keeps every connection, takes new ones, and forwards nothing."""
        self.flowing.clear()

    def flow(self):
        self.flowing.set()

    def let_die(self):
        """Nothing passes any more over the connections that are open, and nobody is told; new
        ones work."""
        for connection in self._open:
            connection.dead = True

    def limit(self, count):
        """New connections go dead once so many bytes have gone to the client. None: no longer."""
        self._limit = count

    def open_connections(self, upstream=None):
        """How many there are: to that server, or in all."""
        return sum(not one.gone.is_set() and upstream in (None, one.upstream)
                   for one in self._open)

    def close(self):
        self.flow()
        self.refuse()

    def _close_all(self):
        connections, self._open = self._open, []
        for connection in connections:
            connection.close(reset=True)

    def _accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            self.connections += 1
            server = self._connect()
            if server is None:  # the server is down: the client sees a reset
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
                client.close()
                continue
            for one in (client, server):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = Connection(self, client, server, self._limit)
            if self._listener is not listener:
                connection.close(reset=True)
            self._open = [*(one for one in self._open if not one.gone.is_set()), connection]

    def _connect(self):
        upstreams = list(self.upstreams)
        for _ in upstreams:
            self._turn += 1
            try:
                return socket.create_connection(
                    ("127.0.0.1", upstreams[self._turn % len(upstreams)]))
            except OSError:
                pass
        return None
