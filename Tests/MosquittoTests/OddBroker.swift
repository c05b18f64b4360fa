import Glibc
import TestSupport

/// Speaks MQTT 3.1.1 as mosquitto never would: says nothing to what is published, or everything at once.
final class OddBroker: Server {
  enum Habit: String {
    /// Acknowledges nothing.
    case silent
    /// Acknowledges, and answers a message to `go` with five to `in` and the acknowledgement in one write; one to `flood` with
    /// 2500 empty ones; one to `segments` with the number of those that have come with octets in them.
    case talkative
    /// Acknowledges, and closes the connection at what comes to `closed/…`: as brokers of MQTT 3.1.1 may where they allow no topic.
    case strict
    /// Acknowledges everything, and then closes the connection at what came to `closed/…`: as mosquitto 2.0.11 does with
    /// `max_queued_messages 0`.
    case treacherous
    /// Accepts whoever speaks 3.1.1. Whoever speaks 5 gets a CONNACK with a property that no standard knows.
    case inventive
    /// Sends one packet of 200 MB, without hurry, to whom it has accepted.
    case boundless
  }

  let port: Int
  private let process: Child

  /// - Parameters:
  ///   - certificate: the paths of certificate and key; nil for plain TCP.
  init(_ habit: Habit, certificate: (String, String)? = nil) async throws {
    port = try freePort()
    let files = certificate.map { [$0.0, $0.1] } ?? []
    process = try Child(
      ["/usr/bin/python3", "-c", mqttPackets + Self.script, "\(port)", habit.rawValue] + files)
    for _ in 0..<3000 where process.isRunning {
      if isListening(port) { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw Trouble("no broker of odd habits")
  }

  private static let script = """
    import socket, ssl, struct, sys, time
    port, habit, files = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    context = None
    if files:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*files)
    server = socket.create_server(("127.0.0.1", port))
    def publish(number):
        text = b"%d" % number
        return struct.pack(">BBH2sH", 0x32, 6 + len(text), 2, b"in", number) + text
    while True:
        peer, _ = server.accept()
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if context: peer = context.wrap_socket(peer, server_side=True)
            while True:
                kind, body = packet(peer)
                kind >>= 4
                if kind == 1 and habit == "inventive" and body[6] == 5:
                    peer.sendall(bytes([0x20, 8, 0, 0, 5, 0x7B, 0, 0, 0, 1]))
                elif kind == 1: peer.sendall(bytes([0x20, 2, 0, 0]))
                if kind == 1 and habit == "boundless":
                    peer.sendall(bytes([0x30, 0x80, 0x84, 0xAF, 0x5F, 0, 2]) + b"in")
                    for _ in range(200):
                        peer.sendall(bytes(1_000_000))
                        time.sleep(0.005)
                if kind == 8: peer.sendall(bytes([0x90, 3]) + body[:2] + bytes([1]))
                elif kind == 12: peer.sendall(bytes([0xD0, 0]))
                elif kind == 3 and habit in ("strict", "treacherous", "inventive"):
                    end = 2 + struct.unpack(">H", body[:2])[0]
                    is_closed = body[2:end].startswith(b"closed/")
                    # Answer and farewell travel together: in between a busy machine could pause for long.
                    more = socket.MSG_MORE if is_closed else 0
                    if not is_closed or habit == "treacherous": peer.sendall(bytes([0x40, 2]) + body[end:end + 2], more)
                    if is_closed: raise EOFError
                elif kind == 3 and habit == "talkative":
                    end = 2 + struct.unpack(">H", body[:2])[0]
                    answer = bytes([0x40, 2]) + body[end:end + 2]
                    if body[2:end] == b"go": answer = b"".join(map(publish, range(1, 6))) + answer
                    if body[2:end] == b"segments":
                        # tcpi_data_segs_in (linux/tcp.h)
                        answer = publish(struct.unpack_from("=I", peer.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256), 152)[0]) + answer
                    if body[2:end] == b"flood": answer = (bytes([0x30, 4, 0, 2]) + b"in") * 2500 + answer
                    peer.sendall(answer)
        except (EOFError, OSError): peer.close()
    """
}
