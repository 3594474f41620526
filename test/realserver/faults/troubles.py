"""The troubles of the matrix. Each is a function of a Cell (cells.py) that draws from its dice what
befalls whom and when, lets it happen while objects are written, and returns when it is over. What
it returns, if anything, are seconds that the server has asked for and that come on top of the
bound."""

import collections
import math

from cluster import Refused
from flow_control import jail, unjail
from proxy import CUT, RESET, Fate

# bound: within so many seconds kinformer's caches have to be equal to the server.
Trouble = collections.namedtuple("Trouble", "happen bound")
TROUBLES = {}  # by name


def trouble(name, bound):
    def keep(function):
        TROUBLES[name] = Trouble(function, bound)
        return function
    return keep


def log_uniform(dice, low, high):
    return math.exp(dice.uniform(math.log(low), math.log(high)))


def some_of(connections, dice, share):
    """Each of them with that probability, and one at least, if there is one."""
    chosen = [one for one in connections if dice.random() < share]
    return chosen or connections[:1]


# ---- The network.

@trouble("connections freeze in silence", bound=50)
def freeze(cell):
    dice = cell.dice
    before, share = dice.uniform(0, 8), dice.choice([1, 1, 0.5])
    new_ones = dice.choice([0, dice.uniform(1, 10)])  # for so long they freeze, too
    cell.pass_time(before)
    for proxy, own in cell.proxies():
        for connection in some_of(proxy.living(), own, share):
            connection.dead = True
        if new_ones:
            proxy.fates = lambda own=own: Fate(own.randrange(20_000))
    cell.pass_time(max(new_ones, 1))


@trouble("connections are cut within frames", bound=5)
def cut(cell):
    longest = log_uniform(cell.dice, 500, 40_000)
    for proxy, own in cell.proxies():
        proxy.doom(lambda own=own: Fate(int(log_uniform(own, 1, longest)), CUT))
    cell.pass_time(cell.dice.uniform(8, 20))


@trouble("bytes drip", bound=5)
def drip(cell):
    dice = cell.dice
    rate, anew = log_uniform(dice, 20, 5000), dice.random() < 0.5
    for proxy, own in cell.proxies():
        proxy.doom(lambda own=own: Fate(rate=log_uniform(own, rate / 3, rate * 3)))
        if anew:
            proxy.reset(proxy.living())
    cell.pass_time(dice.uniform(8, 25))


@trouble("connections are reset", bound=5)
def reset(cell):
    dice = cell.dice
    share, newest, left = dice.uniform(0.2, 1), dice.uniform(0, 0.8), dice.uniform(8, 20)
    for proxy, own in cell.proxies():
        proxy.fates = lambda own=own: (
            Fate(int(log_uniform(own, 1, 20_000)), RESET) if own.random() < newest else Fate())
    while left > 0:
        for proxy, own in cell.proxies():
            proxy.reset(some_of(proxy.living(), own, share))
        pause = dice.uniform(0.1, 2)
        cell.pass_time(pause)
        left -= pause


@trouble("a black hole", bound=5)
def black_hole(cell):
    dice = cell.dice
    swallowed, stalled, length = dice.random() < 0.5, dice.random() < 0.5, dice.uniform(5, 40)
    for proxy, _ in cell.proxies():
        if swallowed:
            proxy.swallow()
        else:
            proxy.fates = lambda: Fate(0)
        if stalled:
            proxy.stall()
        else:
            proxy.reset(proxy.living())
    cell.pass_time(length)


@trouble("TLS handshakes hang", bound=5)
def handshake(cell):
    dice = cell.dice
    share, left = dice.choice([0.5, 1]), dice.uniform(5, 25)
    for proxy, own in cell.proxies():
        proxy.fates = lambda own=own: Fate(own.randrange(600)) if own.random() < share else Fate()
    while left > 0:
        for proxy, _ in cell.proxies():
            proxy.reset(proxy.living())
        pause = dice.uniform(3, 10)
        cell.pass_time(min(pause, left))
        left -= pause


# ---- The server.

def answers(cell, user, status, body=None):
    """Is that how it answers him?"""
    try:
        cell.api.ask("POST" if body else "GET", cell.path, body, token=cell.tokens[user])
    except Refused as refusal:
        return refusal.status == status
    return status == 200


def lose_connections(cell):
    """So that whoever is refused hears of it."""
    for proxy, _ in cell.proxies():
        proxy.reset(proxy.living())


@trouble("401: the token does not count", bound=10)
def unauthorized(cell):
    length, new_token = cell.dice.uniform(5, 30), cell.dice.random() < 0.5
    for user in cell.users:
        cell.doorkeeper.forget(cell.tokens[user])
    for user in cell.users:
        cell.wait_until(lambda user=user: answers(cell, user, 401), "401")
    lose_connections(cell)
    cell.pass_time(length)
    for user in cell.users:
        if new_token:
            cell.give_token(user)
        else:
            cell.doorkeeper.know(cell.tokens[user], user)


@trouble("403: the rights are taken away", bound=10)
def forbidden(cell):
    length = cell.dice.uniform(5, 30)
    cell.take_rights()
    for user in cell.users:
        cell.wait_until(lambda user=user: answers(cell, user, 403), "403")
    lose_connections(cell)
    cell.pass_time(length)
    cell.give_rights()


@trouble("429: the server is busy", bound=5)
def busy(cell):
    """A write that waits for its webhook has each user's only seat."""
    length, longest = cell.dice.uniform(5, 20), 1
    jail(cell.api, cell.users, cell.path)
    try:
        with cell.waiting_writes() as wait:
            cell.wait_until(lambda: wait.begun == set(cell.users), "writes that wait")
            for user in cell.users:
                cell.wait_until(lambda user=user: answers(cell, user, 429), "429")
            lose_connections(cell)
            while length > 0:
                pause = min(length, 2)
                cell.pass_time(pause)
                length -= pause
                longest = max(longest, *map(cell.retry_after, cell.users))
    finally:
        unjail(cell.api, cell.users)
    return longest
