import Glibc

/// Writes many packets as few TCP segments.
///
/// libmosquitto passes each packet to the kernel separately and disables Nagle's delay, so each would cross the network and
/// wake the broker alone. While the socket is corked (tcp(7), TCP_CORK), the kernel gathers the packets, and sends the rest
/// when the cork is removed. Nothing waits longer than the writing takes.
///
/// - Parameter isOpen: whether `socket` still belongs to the same connection after `write`; a reused descriptor is left
///   alone.
func corked<Result>(_ socket: Int32, isOpen: () -> Bool, _ write: () -> Result) -> Result {
  cork(socket, 1)
  defer { if isOpen() { cork(socket, 0) } }
  return write()
}

/// Fails on a socket that is not TCP; then packets are sent as they are written.
private func cork(_ socket: Int32, _ flag: Int32) {
  var flag = flag
  setsockopt(socket, Int32(IPPROTO_TCP), TCP_CORK, &flag, socklen_t(MemoryLayout<Int32>.size))
}
