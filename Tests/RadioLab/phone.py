#!/usr/bin/env python3
"""Plays a phone on an adapter of the kernel's: it pairs, and then advertises with a changing address; Python 3 stdlib only.

usage: phone.py INDEX IRK pair ADDRESS    pairs, and agrees to the number
       phone.py INDEX IRK band ADDRESS    the same, with neither display nor keys
       phone.py INDEX IRK advertise       advertises until it is ended, with a resolvable private address

IRK in the order of the management interface, the least octet first. Prints what happens, one event a line.
"""
import ctypes, os, select, socket, struct, sys, time
libc = ctypes.CDLL(None, use_errno=True)
fd = libc.socket(31, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 1)
address = struct.pack('<HHH', 31, 0xffff, 3)             # no device, control channel
if fd < 0 or libc.bind(fd, address, len(address)): sys.exit('phone.py: ' + os.strerror(ctypes.get_errno()))
index, irk, deed = int(sys.argv[1]), bytes.fromhex(sys.argv[2]), sys.argv[3]
def tell(*words): print('%.1f' % time.monotonic(), *words, flush=True)
def packets(seconds):
    end = time.monotonic() + seconds
    while select.select([fd], [], [], max(0, end - time.monotonic()))[0]:
        p = os.read(fd, 2048)
        event, at, _ = struct.unpack_from('<HHH', p)
        if at == index: yield event, p[6:]
def send(opcode, data):
    libc.send(fd, struct.pack('<HHH', opcode, index, len(data)) + data, 6 + len(data), 0)
def ask(opcode, data):
    send(opcode, data)
    for event, p in packets(20):
        if event in (1, 2) and struct.unpack_from('<H', p)[0] == opcode:
            if p[2]: tell('opcode %04x refused: status %d' % (opcode, p[2]))
            return p[2]
    sys.exit('phone.py: no answer')
ask(0x0005, b'\0')                                       # off
ask(0x000d, b'\1')                                       # LE
ask(0x000b, b'\1')                                       # SSP
ask(0x002d, b'\1')             # secure connections
ask(0x002f, b'\1' + irk)                                 # privacy
ask(0x0030, b'\0\0')                                     # no keys, but resolve
ask(0x0009, b'\1')                                       # bondable
abilities = b'\3' if deed == 'band' else b'\1'                # neither; or display and yes/no
ask(0x0018, abilities)
ask(0x0005, b'\1')                                       # on
if deed == 'advertise':
    # instance 1, connectable, no duration, no timeout: data flags and a name
    data = bytes.fromhex('02010605096970') + b'h6'
    tell('advertising: status', ask(0x003e, struct.pack('<BIHHBB', 1, 1, 0, 0, len(data), 0) + data))
    while True: time.sleep(60)
peer = bytes.fromhex(sys.argv[4].replace(':', ''))[::-1]
target = peer + b'\1'
send(0x0019, target + abilities)
for event, p in packets(90):
    if event == 0x0f:
        tell('confirm', '%06d' % struct.unpack_from('<I', p, 8)[0], 'hint', p[7])
        send(0x001c, p[:7])
    elif event in (1, 2) and struct.unpack_from('<H', p)[0] == 0x0019:
        tell('paired' if p[2] == 0 else 'refused', p[2]); sys.exit(p[2])
    else: tell('event %04x' % event, p[:40].hex())
tell('nothing'); sys.exit(99)
