"""habluetooth's own management protocol over a real asyncio socket. habluetooth_socket.py FD, which is inherited"""
import asyncio
import json
import logging
import socket
import sys
import time

from bleak_retry_connector import BleakSlotManager
from bluetooth_adapters import BluetoothAdapters
from habluetooth import BluetoothManager, BluetoothScanningMode, HaScanner, set_manager
from habluetooth.channels.bluez import BluetoothMGMTProtocol

logging.disable(logging.CRITICAL)


class NoAdapters(BluetoothAdapters):
    adapters = {}
    default_adapter = "hci0"


async def main():
    manager = BluetoothManager(NoAdapters(), BleakSlotManager())
    set_manager(manager)
    await manager.async_setup()
    scanner = HaScanner(BluetoothScanningMode.ACTIVE, "hci0", "00:00:5E:00:53:01")
    scanner.async_setup()
    manager.async_register_scanner(scanner)
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda *_: None)  # it knows no end of file
    ready, lost = loop.create_future(), loop.create_future()
    feed = socket.socket(fileno=int(sys.argv[1]))
    feed.setblocking(False)
    protocol = BluetoothMGMTProtocol(
        ready, {0: scanner}, lambda: lost.done() or lost.set_result(None), lambda: False, feed, {})
    loop._make_socket_transport(feed, protocol, None, extra=None)
    await ready
    start = time.process_time()
    await lost
    print(json.dumps({"cpu_s": time.process_time() - start, "devices": len(manager._all_history)}), flush=True)
    manager.async_stop()


asyncio.run(main())
