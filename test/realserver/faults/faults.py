"""The faults. Each is a function of a Run (harness.py) that lets it happen and returns when it is
over: from there on the clients may reach the server, nothing is written, and the clock runs."""

import collections
import time

from cluster import USERS
from flow_control import jail, unjail

# starts: it starts the clients itself. patience: seconds; None: the run's. decides: kinformer must
# converge; else it is only shown.
Fault = collections.namedtuple("Fault", "happen starts patience decides",
                               defaults=(False, None, True))
FAULTS = {}  # by name


def fault(name, **options):
    def keep(function):
        FAULTS[name] = Fault(function, **options)
        return function
    return keep


@fault("restart: kill -9, and writes at once")
def restart(run):
    run.cluster.kill()
    run.cluster.start()
    run.writer.write(5)


@fault("refused for 20 s, with writes")
def refused(run):
    run.each(lambda proxy: proxy.refuse())
    run.writer.write_for(20, 1)
    run.each(lambda proxy: proxy.admit())


@fault("stalled for 20 s, with writes")
def stalled(run):
    run.each(lambda proxy: proxy.stall())
    run.writer.write_for(20, 1)
    run.each(lambda proxy: proxy.flow())


@fault("connections die in silence, new ones work", patience=120)
def dead(run):
    run.each(lambda proxy: proxy.let_die())
    run.writer.write(10)


@fault("the first LIST stalls half-way, new connections work", patience=120, starts=True)
def first_list_stalls(run):
    run.writer.create(30)
    run.each(lambda proxy: proxy.limit(60_000))
    run.start_clients(lists=True)
    time.sleep(2)
    run.each(lambda proxy: proxy.limit(None))


@fault("compaction: the version is too old (410)")
def compaction(run):
    run.each(lambda proxy: proxy.refuse())
    run.writer.write(10)
    run.cluster.compact()
    run.cluster.kill()
    run.cluster.start()
    run.each(lambda proxy: proxy.admit())


@fault("etcd restored, clients back at once")
def restored_at_once(run):
    run.lose_history(40)
    run.cluster.start()
    run.writer.write(5)


@fault("etcd restored, clients back after 5 s, with writes")
def restored_and_back_later(run):
    run.lose_history(60)
    run.each(lambda proxy: proxy.refuse())
    run.cluster.start()
    run.writer.write_for(5)
    run.each(lambda proxy: proxy.admit())
    run.writer.write_for(2)


def overtake(run):
    """The clients are away until the new history is ahead of what they saw of the old one. Returns
    an object of every scope that was made at a version which they take for seen."""
    version = run.lose_history(20)
    run.each(lambda proxy: proxy.refuse())
    run.cluster.start()
    run.writer.create(1)
    unseen = run.writer.newest()
    while run.version() < version + 20:
        run.writer.write(5)
    return unseen


@fault("etcd restored and overtaken, then one object changes that was made meanwhile")
def overtaken_with_gaps(run):
    run.writer.touch(overtake(run))
    run.each(lambda proxy: proxy.admit())


@fault("etcd restored and overtaken, and nothing is changed on purpose", decides=False)
def overtaken_in_silence(run):
    overtake(run)
    run.each(lambda proxy: proxy.admit())


@fault("429: 50 informers, few requests at a time", patience=120, starts=True)
def storm(run):
    run.use_many_scopes(50)
    jail(run.cluster.api, USERS, "/api/v1/namespaces/default", run.shares)
    run.start_clients()
    run.afterwards(lambda: unjail(run.cluster.api, USERS))
