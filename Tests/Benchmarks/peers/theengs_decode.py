"""TheengsDecoder over the first 10,000 advertisements of a corpus. theengs_decode.py CORPUS"""
import json
import sys
import time

from TheengsDecoder import decodeBLE

data = open(sys.argv[1], "rb").read()
messages, offset = [], 0
while offset < len(data) and len(messages) < 10_000:
    length = data[offset + 8]
    message = {"id": data[offset:offset + 6][::-1].hex(":").upper(), "rssi": data[offset + 7] - 256}
    at, end = offset + 9, offset + 9 + length
    while at < end and data[at] and at + 1 + data[at] <= end:
        kind, value = data[at + 1], data[at + 2:at + 1 + data[at]]
        if kind == 0xFF: message["manufacturerdata"] = value.hex()
        if kind == 0x16 and len(value) >= 2:
            message["servicedatauuid"] = f"0x{value[1]:02x}{value[0]:02x}"
            message["servicedata"] = value[2:].hex()
        at += 1 + data[at]
    messages.append(json.dumps(message))
    offset = end
decoded = 0
start = time.process_time()
for message in messages: decoded += bool(decodeBLE(message))
print(json.dumps({"adverts": len(messages), "decoded": decoded, "cpu_s": time.process_time() - start}))
