import Glibc

/// Writes many packets as few segments.
///
/// libmosquitto gives each packet to the kernel by itself, and without Nagle's delay each would go through the network, and
/// wake the broker, alone. While the socket is corked (tcp(7), TCP_CORK) the kernel gathers them, and sends what is left when
/// the cork is drawn: nothing waits any longer than the writing takes.
///
/// - Parameter isOpen: whether `socket` is still that connection's after `write`; a number that was given away is left alone.
func corked<Result>(_ socket: Int32, isOpen: () -> Bool, _ write: () -> Result) -> Result {
  cork(socket, 1)
  defer { if isOpen() { cork(socket, 0) } }
  return write()
}

/// Fails where the socket is none of TCP: then each packet goes as it is written.
private func cork(_ socket: Int32, _ flag: Int32) {
  var flag = flag
  setsockopt(socket, Int32(IPPROTO_TCP), TCP_CORK, &flag, socklen_t(MemoryLayout<Int32>.size))
}
