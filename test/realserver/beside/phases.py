"""PHASES: the faults, one after the other, with what each may make of what is told."""

import collections

from story import BACK, HIDDEN, OTHER_UID, REPEATED, TOMBSTONE

# rules: of /debug/faults, for each client. kinformer, client_go: the ways in which what they tell
# may differ from what has happened. debug: a request there. relist: in the end everybody has to
# list anew, for what else would stay wrong in a cache.
Phase = collections.namedtuple("Phase", "name rules kinformer client_go debug relist",
                               defaults=((), (), (), None, False))

# A list hides what comes before it. An object that has another uid then is a deletion and an
# addition with kinformer, and an update with client-go, which also tells updates of all objects
# that are as they were.
LISTS = (HIDDEN, TOMBSTONE)
CLIENT_GO_LISTS = (*LISTS, OTHER_UID, REPEATED)
BOTH_LIST = {"kinformer": LISTS, "client_go": CLIENT_GO_LISTS}


def watches(action, **more):
    return {"verb": "watch", "resource": "configmaps", "action": action, **more}


TOO_OLD = watches("respond", status=410, count=1)

PHASES = (
    Phase("away while it happens"),
    Phase("F1 refused", (watches("refuse", count=2),)),
    # To client-go a body that breaks off is an event that cannot be decoded.
    Phase("F2 cut in the middle of an event", (watches("cutBody", afterBytes=700, count=3),),
          client_go=CLIENT_GO_LISTS),
    Phase("F3 ended after each event", (watches("endWatch", afterEvents=1, count=4),)),
    Phase("F4 compacted", debug="compact", **BOTH_LIST),
    Phase("F4 410 in place of a watch", (TOO_OLD,), **BOTH_LIST),
    Phase("F4 410 as an event", (watches("watchError", status=410, count=1),), **BOTH_LIST),
    Phase("F6 500 as an event", (watches("watchError", status=500, count=1),), **BOTH_LIST),
    Phase("F7 429", (watches("respond", status=429, retryAfter=1, count=2),)),
    Phase("F8 500 in place of a watch", (watches("respond", status=500, count=1),), **BOTH_LIST),
    Phase("F9 not let in", (watches("respond", status=403, count=1),), **BOTH_LIST),
    Phase("F10 404 in place of a watch", (watches("respond", status=404, count=1),), **BOTH_LIST),
    Phase("F11 no bookmarks", (watches("noBookmarks"),)),
    # kinformer takes a watch that goes back for a server that was restored, and an event that does
    # not fit what it has for a sign that others are missing: it lists. client-go passes them on.
    Phase("F11 old bookmarks", (watches("oldBookmarks", versions=6, count=1),),
          LISTS, (BACK, REPEATED, OTHER_UID)),
    Phase("F12 a watch-list is refused",
          (watches("respond", status=400, onlyInitialEvents=True, count=1), TOO_OLD),
          **BOTH_LIST),
    Phase("F14 each event twice", (watches("duplicateEvents", count=1),), LISTS, (REPEATED,)),
    Phase("F14 from an earlier version", (watches("replayEvents", versions=8, count=1),),
          LISTS, (BACK, REPEATED)),
    Phase("F15 deletions are lost", (watches("loseDeletes", count=1),), relist=True, **BOTH_LIST),
    Phase("F16 garbage", (watches("garbage", afterBytes=700, text="{]", repeat=999, count=1),),
          **BOTH_LIST),
    Phase("F19 byte by byte", (watches("drip", chunkBytes=7, delay="1ms", count=1),)),
    Phase("F18 a list is older than what was seen",
          (watches("respond", status=400, onlyInitialEvents=True, count=1), TOO_OLD,
           {"verb": "list", "resource": "configmaps", "action": "staleRead", "versions": 6,
            "count": 1}), **BOTH_LIST),
    # client-go keeps what is of another namespace, until it lists. What it cannot decode, it lists.
    Phase("F20 events of another namespace", (watches("foreignNamespace", count=1),),
          client_go=CLIENT_GO_LISTS, relist=True),
    Phase("F20 events of another kind", (watches("wrongKind", count=1),),
          client_go=CLIENT_GO_LISTS),
    Phase("F21 the cache of the server lags",
          (watches("respond", status=400, onlyInitialEvents=True, count=1), TOO_OLD,
           {"verb": "list", "resource": "configmaps", "action": "staleCache", "versions": 6,
            "count": 1}), **BOTH_LIST),
    Phase("GOAWAY", (watches("goAway", count=3),)),
)
