import Core
import Glibc

extension LiveRadio {
  /// The adapters this machine has, with or without privileges.
  package static func adapters() throws(RadioError) -> [AdapterInfo] {
    let socket = try HCISocket.management()
    do throws(SystemError) {
      return try AdapterList.read(socket)
    } catch {
      throw RadioError(error)
    }
  }
}

enum AdapterList {
  /// How long the kernel may take for an answer, in milliseconds; it answers at once.
  private static let patience: Int32 = 1000

  static func read(_ socket: HCISocket) throws(SystemError) -> [AdapterInfo] {
    let (_, list) = try ask(
      ManagementCommand(opcode: .readIndexList, adapter: ManagementCommand.noAdapter), socket)
    var adapters: [AdapterInfo] = []
    let bytes = list.span
    guard bytes.count >= 2 else { return [] }
    for place in 0..<min(Int(bytes.littleEndian16(at: 0)), (bytes.count - 2) / 2) {
      let index = bytes.littleEndian16(at: 2 + 2 * place)
      let (_, reply) = try ask(ManagementCommand(opcode: .readInformation, adapter: index), socket)
      if let info = AdapterInfo(index: index, reply: reply.span) { adapters.append(info) }
    }
    return adapters.sorted { $0.index < $1.index }
  }

  /// The answer and its parameters, which are empty if the kernel refused.
  static func ask(
    _ command: ManagementCommand, _ socket: HCISocket, patience: Int32 = Self.patience
  ) throws(SystemError) -> (status: ManagementStatus, parameters: [UInt8]) {
    try socket.send(command.bytes)
    var buffer = PacketBuffer()
    // Other programs' events may come in between; a bounded number of them.
    for _ in 0..<1000 {
      var polled = pollfd(fd: socket.descriptor.number, events: Int16(POLLIN), revents: 0)
      guard try systemCall("poll", { unsafe poll(&polled, 1, patience) }) > 0 else { break }
      socket.receive(into: &buffer)
      for place in 0..<buffer.count {
        let packet = buffer.bytes.span.extracting(buffer.range(place))
        guard let (adapter, event) = ManagementEvent.parse(packet), adapter == command.adapter,
          case .answer(let opcode, let status, let parameters) = event, opcode == command.opcode.rawValue
        else { continue }
        return (status, parameters.map { packet[$0] })
      }
    }
    throw SystemError(call: "Bluetooth management", code: ETIMEDOUT)
  }
}
