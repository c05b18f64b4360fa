#!/usr/bin/env python3
"""Holds what a second controller heard of a rotation of wake regions against its plan; Python 3 stdlib only.

The recording's text form gives when each identity was on air; `health` gives when the rotation began. Prints how far each
start and stop was from the plan, and exits with 1 where one is missing, too many, or off by more than --within.
"""
import argparse, json, sys
from datetime import datetime
A = argparse.ArgumentParser()
A.add_argument('--checked', required=True, help='what check --json says of the configuration')
A.add_argument('--health', required=True); A.add_argument('--air', required=True); A.add_argument('--marks')
A.add_argument('--within', type=float, default=1.0)
A.add_argument('--forgive', type=float, default=0, help='seconds after a mark in which the air may be silent')
o = A.parse_args()
wake = json.load(open(o.checked))['wake']
period = wake['period_s']
plan = [(b['region'], b['start_s'], b['duration_s']) for b in wake['broadcasts']]

began = None
for line in open(o.health):
    _, topic, payload = line.split(' ', 2)
    if topic.endswith('/health') and '"wake"' in payload:
        text = json.loads(payload)['wake']['began']
        if text: began = datetime.fromisoformat(text.replace('Z', '+00:00')).timestamp()
if began is None: sys.exit('rotation.py: health never said when it began')
try: marks = [float(line.split()[0]) for line in open(o.marks)]
except (OSError, TypeError): marks = []

# When each identity was heard.
heard, times = {}, []
uuid = wake['uuid'].replace('-', '').lower()
for line in open(o.air):
    r = json.loads(line)
    payload = r.get('payload', '')
    if uuid not in payload: continue
    at = payload.index(uuid) + 32
    major, minor = int(payload[at:at + 4], 16), int(payload[at + 4:at + 8], 16)
    if major != wake['major']: sys.exit('rotation.py: major %d is on air' % major)
    heard.setdefault(minor - wake['minors'][0] + 1, []).append(r['t']); times.append(r['t'])
if not times: sys.exit('rotation.py: nothing was heard')
times.sort()
# The first and last moments are cut off by the recording itself.
first, last = times[0] + period, times[-1] - 2

def runs(moments):
    moments = sorted(moments); start = previous = moments[0]
    for t in moments[1:]:
        if t - previous > 1.5: yield start, previous; start = t
        previous = t
    yield start, previous
def planned(region):
    turns, k = [], int((times[0] - began) // period) - 1
    while began + k * period <= times[-1]:
        turns += [(began + k * period + s, began + k * period + s + d) for r, s, d in plan if r == region]; k += 1
    turns.sort()
    merged = []
    for s, e in turns:
        if merged and s - merged[-1][1] < 1e-6: merged[-1] = (merged[-1][0], e)
        else: merged.append((s, e))
    return merged
def forgiven(t): return any(0 <= t - m <= o.forgive for m in marks)
def after(t): return sum(1 for m in marks if m <= t)

faults, found = [], {}
for region in sorted({r for r, _, _ in plan} | set(heard)):
    want, have = planned(region), list(runs(heard[region])) if region in heard else []
    for kind, place in (('start', 0), ('stop', 1)):
        edges, seen = [t[place] for t in want], [t[place] for t in have]
        for edge in edges:
            if not first <= edge <= last or forgiven(edge): continue
            near = min(seen, key=lambda t: abs(t - edge), default=None)
            if near is None or abs(near - edge) > o.within: faults.append('region %d has no %s near %+.2f s (nearest %s)' % (region, kind, edge - began, 'none' if near is None else '%+.2f s' % (near - began)))
            else: found.setdefault((after(edge), kind), []).append(near - edge)
        for t in seen:
            if not first <= t <= last: continue
            # a silence by a fault, and its end, are no edges of the plan
            if any(-0.5 <= t - m <= o.forgive + 0.5 for m in marks): continue
            if min((abs(t - edge) for edge in edges), default=9e9) > o.within: faults.append('region %d: a %s at %+.2f s that nobody planned' % (region, kind, t - began))
for (part, kind), off in sorted(found.items()):
    print('%s %-5s %3d: from %+.2f s to %+.2f s, mean %+.2f s' % ('before any fault' if part == 0 else 'after fault %d   ' % part, kind, len(off), min(off), max(off), sum(off) / len(off)))
for fault in faults: print('FAULT', fault)
sys.exit(1 if faults or not found else 0)
