"""Stories: what has happened under a key, what a handler was told of it, and how the two differ."""

import collections

# A line of either. what: add, update, delete, tombstone. version: None for a deletion that was
# written: only who watches learns its version.
Event = collections.namedtuple("Event", "what uid version")

# The ways in which what is told may differ from what has happened.
HIDDEN = "hidden"  # a change that nobody told
TOMBSTONE = "tombstone"  # a deletion that was found out: the handler gets the last known state
OTHER_UID = "other uid"  # an update that puts another object in the place of one, undeleted
REPEATED = "repeated"  # what was told last, as another update or deletion
BACK = "back"  # something that happened before what was told last
UNTRUE = "untrue"  # something that never happened, or a deletion of what was not there


def told_by(path):
    """By key: the events in the file that --events has written."""
    told = collections.defaultdict(list)
    for line in path.read_text().splitlines():
        _, key, what, uid, version = line.split(" ")
        told[key].append(Event(what, uid, version))
    return told


def _is(happened, told):
    """Whether that is what was told of. An object that is added is one in any of its versions."""
    if told.what in ("delete", "tombstone"):
        return happened.what == "delete" and happened.uid == told.uid
    return (happened.uid, happened.version) == (told.uid, told.version)


def differences(story, told):
    """A list of the kinds above, one for each event that differs."""
    found = []
    place = 0  # in the story: what comes next
    held = None  # (uid, version) that the handler knows
    for before, event in zip([None, *told], told):
        ahead = next((i for i in range(place, len(story)) if _is(story[i], event)), None)
        behind = next((i for i in range(place) if _is(story[i], event)), None)
        if event == before or event.what == "update" and (event.uid, event.version) == held:
            found.append(REPEATED)
            continue
        if ahead is None and behind is None:
            found.append(UNTRUE)
        elif ahead is None:
            found.append(BACK)
            place = behind + 1
        else:
            found += [HIDDEN] * (ahead - place)
            place = ahead + 1
        if event.what in ("delete", "tombstone"):
            if held is None or held[0] != event.uid:
                found.append(UNTRUE)
            if event.what == "tombstone":
                found.append(TOMBSTONE)
            held = None
            continue
        if (event.what == "add") != (held is None):
            found.append(UNTRUE)
        elif held is not None and held[0] != event.uid:
            found.append(OTHER_UID)
        held = (event.uid, event.version)
    return found + [HIDDEN] * (len(story) - place)
