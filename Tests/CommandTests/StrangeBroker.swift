import Foundation
import TestSupport

/// Takes everything in MQTT 3.1.1 and writes it down. To whoever speaks MQTT 5 it says what no standard knows (`inventive`), or that it
/// knows no such version (`old`). `modest` is an old one that also passes messages on, with QoS 0, and retains none; `mute` does the
/// same and acknowledges nothing, and `late` acknowledges after what it passes on, as RabbitMQ may. `web` is
/// no broker at all.
struct StrangeBroker {
  let port: Int
  private let process: Child
  private let record: String

  /// It listens once this returns.
  init(_ habit: String) async throws {
    let record = try file("", "record")
    process = try Child(
      ["/usr/bin/python3", "-c", mqttPackets + Self.script, habit],
      output: FileHandle(forWritingTo: URL(fileURLWithPath: record)))
    func listening() -> Int? {
      (try? String(contentsOfFile: record, encoding: .utf8))?.split(separator: "\n").first.flatMap { Int($0) }
    }
    try await until("it listens") { listening() != nil }
    port = listening() ?? 0
    self.record = record
  }

  func stop() { process.signal(SIGKILL) }

  func hasHeard(_ text: String) -> Bool {
    ((try? String(contentsOfFile: record, encoding: .utf8)) ?? "").contains(text)
  }

  private static let script = """
    import socket, struct, sys, threading
    server = socket.create_server(("127.0.0.1", 0))
    print(server.getsockname()[1], flush=True)
    habit, readers = sys.argv[1], {}
    greeting = bytes([0x20, 5, 0, 0, 2, 0x7F, 1]) if habit == "inventive" else bytes([0x20, 2, 0, 1])
    is_modest = habit in ("modest", "mute", "late")
    def serve(peer):
        try:
            is_known = packet(peer)[1][6] == 4
            reply = bytes([0x20, 2, 0, 0]) if is_known else greeting
            peer.sendall(b"HTTP/1.1 400 Bad Request\\r\\n" * 9 if habit == "web" else reply)
            if habit == "web" or not is_known and habit != "inventive": raise EOFError
            while True:
                kind, body = packet(peer)
                if kind >> 4 == 8:
                    filter = body[4:4 + struct.unpack(">H", body[2:4])[0]]
                    if is_modest: readers.setdefault(filter, set()).add(peer)
                    peer.sendall(bytes([0x90, 3]) + body[:2] + bytes([0 if is_modest else 1]))
                if kind >> 4 == 12: peer.sendall(bytes([0xD0, 0]))
                if kind >> 4 != 3: continue
                print(body.decode("utf8", "replace"), flush=True)
                end = 2 + struct.unpack(">H", body[:2])[0]
                if kind & 6 and habit != "mute":
                    acknowledgement = bytes([0x40, 2]) + body[end:end + 2]
                    threading.Timer(0.5 if habit == "late" else 0, peer.sendall, [acknowledgement]).start()
                passed = body[:end] + body[end + 2 * (kind >> 1 & 1):]
                for reader in list(readers.get(body[2:end], ())):
                    # Only short ones, whose length takes one octet.
                    try: reader.sendall(bytes([0x30, len(passed)]) + passed if len(passed) < 128 else b"")
                    except OSError: readers[body[2:end]].discard(reader)
        except (EOFError, OSError): peer.close()
    while True:
        threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
    """
}
