"""bleparser over a corpus in memory. bleparser_decode.py CORPUS"""
import json
import logging
import sys
import time

from bleparser import BleParser

logging.disable(logging.CRITICAL)
data = open(sys.argv[1], "rb").read()
events, offset = [], 0
while offset < len(data):
    length = data[offset + 8]
    payload = data[offset + 9:offset + 9 + length]
    # An HCI LE Meta event with one legacy advertising report.
    events.append(
        bytes([0x04, 0x3E, 12 + length, 0x02, 1, 0x03, 0x00]) + data[offset:offset + 6] + bytes([length]) + payload
        + data[offset + 7:offset + 8])
    offset += 9 + length
parser = BleParser(discovery=True, filter_duplicates=False)
decoded = 0
start = time.process_time()
for event in events:
    try:
        sensor, tracker = parser.parse_raw_data(event)
        decoded += sensor is not None
    except Exception:
        pass
print(json.dumps({"adverts": len(events), "decoded": decoded, "cpu_s": time.process_time() - start}))
