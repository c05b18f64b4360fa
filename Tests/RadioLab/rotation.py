#!/usr/bin/env python3
"""Compares a rotation of wake regions, as heard by a second controller, with its plan; Python 3 stdlib only.

The recording in text form shows when each identity was on air; `health` shows when the rotation began. Prints how far the
starts and stops were from the plan. Exits with 1 if any is missing, unplanned, or off by more than --within seconds.
"""
import argparse, json, sys
from datetime import datetime
A = argparse.ArgumentParser()
A.add_argument('--checked', required=True, help='output of check --json for the configuration')
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
# Ignore the first and last moments, where the recording cuts off broadcasts.
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
            # the beginning and end of a silence during a fault are not in the plan
            if any(-0.5 <= t - m <= o.forgive + 0.5 for m in marks): continue
            if min((abs(t - edge) for edge in edges), default=9e9) > o.within: faults.append('region %d: a %s at %+.2f s that nobody planned' % (region, kind, t - began))
for (part, kind), off in sorted(found.items()):
    print('%s %-5s %3d: from %+.2f s to %+.2f s, mean %+.2f s' % ('before any fault' if part == 0 else 'after fault %d   ' % part, kind, len(off), min(off), max(off), sum(off) / len(off)))
for fault in faults: print('FAULT', fault)
sys.exit(1 if faults or not found else 0)
