#!/usr/bin/env python3
"""Sends one command to the kernel's Bluetooth management interface and prints the answer; Python 3 stdlib only.

usage: mgmt.py OPCODE INDEX [HEX]        mgmt.py 0023 0 06    starts LE discovery on hci0
"""
import ctypes, os, select, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
fd = libc.socket(31, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 1)
address = struct.pack('<HHH', 31, 0xffff, 3)             # no device, control channel
if fd < 0 or libc.bind(fd, address, len(address)): sys.exit('mgmt.py: ' + os.strerror(ctypes.get_errno()))
opcode, index, data = int(sys.argv[1], 16), int(sys.argv[2]), bytes.fromhex(''.join(sys.argv[3:]))
libc.send(fd, struct.pack('<HHH', opcode, index, len(data)) + data, 6 + len(data), 0)
while select.select([fd], [], [], 10)[0]:
    p = os.read(fd, 2048)
    event, at, _ = struct.unpack_from('<HHH', p)
    if event in (1, 2) and at == index and struct.unpack_from('<H', p, 6)[0] == opcode:
        print(p[8:].hex()); sys.exit(p[8])
sys.exit('mgmt.py: no answer')
