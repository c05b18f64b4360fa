#!/usr/bin/env python3
"""Plays the gateway's page; Python 3 stdlib only.

usage: page.py NAME LOG    enrols a device under this name, with the number that phone.py writes into its log
       page.py NAME -      begins to enrol one, and is silent
       page.py NAME        waits until the beacon of this name is heard
"""
import json, re, sys, time, urllib.error, urllib.request
begun = time.monotonic()
def tell(*words): print('%.1f' % (time.monotonic() - begun), *words, flush=True)
def api(path, body=None):
    request = urllib.request.Request('http://127.0.0.1:8099/api/v1/' + path, None if body is None else json.dumps(body).encode(),
        {'Authorization': 'Bearer open sesame', 'Content-Type': 'application/json'})
    try:
        with urllib.request.urlopen(request, timeout=20) as reply: return json.load(reply)
    except urllib.error.HTTPError as error: return json.loads(error.read() or b'{}')
    except OSError as error: return {'error': str(error)}
name = sys.argv[1]
if len(sys.argv) == 2:
    while 'beacon' not in (told := api('beacons/' + name)): time.sleep(0.5)
    sys.exit(tell('heard', told))
while 'session' not in (told := api('enrolment/begin', {'name': name})) or not told['session']:
    tell(told)
    time.sleep(0.5)
session, said = told['session'], 0
while told['state'] == 'open':
    told = api('enrolment?session=' + session)
    for news in told['news'][said:]:
        tell(news)
        if sys.argv[2] == '-' and news['kind'] == 'open': sys.exit()
        if news['kind'] == 'wants_number':
            # Wrong first.
            number = re.findall(r' confirm (\d+) ', open(sys.argv[2]).read())[-1]
            for one in ['000000' if number != '000000' else '000001', number]: api('enrolment/type', {'session': session, 'number': one})
    said = len(told['news'])
    time.sleep(0.5)
tell(told)
sys.exit(told['state'] != 'saved')
