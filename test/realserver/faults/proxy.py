"""Proxy: a TCP proxy on a port of its own that can stall, refuse, swallow, and decide what becomes of
each connection. With several servers behind it, it is a balancer."""

import random
import socket
import struct
import threading

PIECE = 65536
TICK = 0.05  # seconds between two drops of a connection that drips
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


# How a connection ends whose bytes are counted.
DIES = "dies"  # nobody hears of anything any more, and nobody is told
CUT = "cut"
RESET = "reset"


class Fate:
    """What becomes of a connection: `end`, after `left` more bytes to the client (None: never); at
    most `rate` bytes a second each way (None: as they come)."""

    def __init__(self, left=None, end=DIES, rate=None):
        self.left = left
        self.end = end
        self.rate = rate


class Connection:
    """One client's connection and the one behind it."""

    def __init__(self, proxy, client, server, fate):
        self.proxy = proxy
        self.upstream = server.getpeername()[1]
        self.sockets = (client, server)
        self.gone = threading.Event()
        self.dead = False
        self.fate = fate  # may be changed at any time
        self._end_if_due()
        for source, sink, down in ((client, server, False), (server, client, True)):
            threading.Thread(target=self._pump, args=(source, sink, down), daemon=True).start()

    def _pump(self, source, sink, down):
        try:
            while piece := source.recv(PIECE):
                self._pass_on(piece, sink, down)  # what comes on a dead one is taken all the same
        except OSError:
            pass
        if not self.dead:
            self.close()

    def _pass_on(self, piece, sink, down):
        while piece and not self.dead and not self.gone.is_set():
            self.proxy.flowing.wait()
            fate, count = self.fate, len(piece)
            if fate.rate is not None:
                count = max(1, int(fate.rate * TICK))
                if self.gone.wait(count / fate.rate) or fate is not self.fate:
                    continue
            if down and fate.left is not None:
                count = min(count, fate.left)
            drop, piece = piece[:count], piece[count:]
            if self.dead:
                return
            sink.sendall(drop)
            if down and fate.left is not None:
                fate.left -= len(drop)
                self._end_if_due()

    def _end_if_due(self):
        fate = self.fate
        if fate.left is None or fate.left > 0:
            return
        if fate.end == DIES:
            self.dead = True
        else:
            self.close(reset=fate.end == RESET)

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
        self.fates = Fate  # called for the Fate of each new connection
        self._turn = 0
        self._open = []
        self._lock = threading.Lock()  # between new connections and doom
        self._listener = None
        self._swallowing = []
        self.admit()

    def admit(self):
        """Accepts connections; after refuse and swallow, again."""
        if self._listener is not None:
            return
        self._listen_no_longer()
        self._listener = socket.create_server(("127.0.0.1", self.port), backlog=256)
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def refuse(self):
        """Resets every connection, and refuses new ones."""
        self._listen_no_longer()
        self.reset(self._open)
        self._open = []

    def swallow(self):
        """Nobody answers who wants a connection, as behind a firewall; until admit."""
        self._listen_no_longer()
        # The kernel throws SYNs away where the queue of connections to be accepted is full.
        full = socket.create_server(("127.0.0.1", self.port), backlog=0)
        self._swallowing = [full]
        for _ in range(3):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", self.port))
            self._swallowing.append(filler)

    def _listen_no_longer(self):
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        for one in self._swallowing:
            one.close()
        self._swallowing = []

    def stall(self):
        """Keeps every connection, takes new ones, and forwards nothing."""
        self.flowing.clear()

    def flow(self):
        self.flowing.set()

    def let_die(self):
        """Nothing passes any more over the connections that are open, and nobody is told; new
        ones work."""
        for connection in self.living():
            connection.dead = True

    def limit(self, count):
        """New connections go dead once so many bytes have gone to the client. None: no longer."""
        self.fates = Fate if count is None else lambda: Fate(left=count)

    def doom(self, fates):
        """Connections that are open, and new ones, get a Fate each from here."""
        with self._lock:
            self.fates = fates
            for connection in self.living():
                connection.fate = fates()

    def heal(self):
        """New connections are served, and those that live go on as they should."""
        self.doom(Fate)
        self.admit()
        self.flow()

    def living(self):
        """The connections over which something passes."""
        return [one for one in self._open if not one.gone.is_set() and not one.dead]

    @staticmethod
    def reset(connections):
        for connection in connections:
            connection.close(reset=True)

    def open_connections(self, upstream=None):
        """How many there are: to that server, or in all."""
        return sum(not one.gone.is_set() and upstream in (None, one.upstream)
                   for one in self._open)

    def close(self):
        self.flow()
        self.refuse()

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
            with self._lock:
                connection = Connection(self, client, server, self.fates())
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
