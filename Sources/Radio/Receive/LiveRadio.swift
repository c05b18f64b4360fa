import Beacons
import CBlueZ
import Core
import Glibc
import Synchronization

/// The machine's Bluetooth adapters. Receives the advertisements that they report on raw sockets, while a management monitor
/// keeps them scanning; without CAP_NET_RAW, those that bluetoothd passes on (`takesBus`). It works alongside bluetoothd.
///
/// ```swift
/// let radio = try LiveRadio()
/// try radio.run(
///   LiveRadio.Handlers { batch, receivers in
///     batch.forEach { advertisement, payload in print(receivers.name(of: advertisement.receiver), advertisement.address) }
///   })
/// ```
package final class LiveRadio: Sendable {
  /// How long an advertisement may wait in a batch.
  package static let longestGathering = Gathering.longest

  package struct Options: Sendable {
    /// Adapters to use, by address (`00:1A:7D:DA:71:13`), kernel name (`hci0`) or alias; empty: all.
    package var adapters: [String] = []
    /// Names for adapters, by address.
    package var aliases: [DeviceAddress: String] = [:]
    /// Whether an adapter that is off when it is found is switched on.
    package var powersOn = true
    /// Whether an rfkill block that somebody set is lifted.
    package var unblocks = false
    /// How much of the time to listen.
    package var duty = ScanDuty.balanced
    /// Whether to receive through bluetoothd if raw sockets are not allowed.
    package var takesBus = false
    /// The wake regions that one of the adapters broadcasts.
    package var broadcast: BroadcastPlan?
    /// Whether to wait if there is no adapter, or no Bluetooth, yet.
    package var waitsForAdapter = false
    /// Receive buffer of a socket in bytes; an advertisement needs 768. The kernel doubles it. Without CAP_NET_ADMIN it grants
    /// at most 212,992.
    package var receiveBuffer: Int32 = 4 << 20

    package init() {}
  }

  /// The radio's callbacks, on its own thread. Each gets the receivers known so far.
  package struct Handlers: Sendable {
    package var onBatch: @Sendable (borrowing AdvertisementBatch, ReceiverTable) -> Void
    package var onHealth: @Sendable (ReceiverHealthChange, ReceiverTable) -> Void = { _, _ in }
    /// Changed counts, at most once a second per receiver.
    package var onCounts: @Sendable (ReceiverCounts, ReceiverTable) -> Void = { _, _ in }
    /// The process did not run for this long, until now. Called before the advertisements that arrived meanwhile.
    package var onPause: @Sendable (TimeSpan, WallTime, ReceiverTable) -> Void = { _, _, _ in }
    /// The state of the broadcast has changed.
    package var onBroadcast: @Sendable (BroadcastStatus) -> Void = { _ in }
    /// A message for people.
    package var onNotice: @Sendable (String) -> Void = { _ in }
    /// Every LE meta event as the controller sent it, from the event code on, for recording.
    package var onEvent: (@Sendable (Span<UInt8>, AdapterInfo, WallTime) -> Void)?

    package init(onBatch: @escaping @Sendable (borrowing AdvertisementBatch, ReceiverTable) -> Void) {
      self.onBatch = onBatch
    }
  }

  /// Opens the sockets; tests replace it.
  struct Sockets: Sendable {
    var management: @Sendable () throws(RadioError) -> HCISocket
    var raw: @Sendable (_ adapter: UInt16, _ receiveBuffer: Int32) throws(RadioError) -> HCISocket
    /// The pause before checking a kernel without Bluetooth again.
    var pause = Duration.seconds(10)

    static let kernel = Sockets(
      management: { () throws(RadioError) in try HCISocket.management() },
      raw: { adapter, size throws(RadioError) in try HCISocket.raw(adapter: adapter, receiveBuffer: size) })
  }

  private let options: Options
  private let sockets: Sockets
  private let bell = Bell()

  package convenience init(_ options: Options = Options()) throws(RadioError) {
    try self.init(options, .kernel)
  }

  /// Receives from a socket in place of an adapter's, for measuring without one. When its other end is closed, the receiver
  /// hci0 is gone.
  ///
  /// - Parameters:
  ///   - socket: delivers HCI events, one a datagram.
  ///   - management: its other end answers as the kernel's management interface does.
  package convenience init(
    in socket: consuming FileDescriptor, of management: consuming FileDescriptor
  ) throws(RadioError) {
    let left = Mutex<HCISocket?>(HCISocket(socket))
    let kernel = HCISocket(management)
    let raw = { @Sendable (_: UInt16, _: Int32) throws(RadioError) -> HCISocket in
      guard let socket = left.withLock({ $0.take() }) else {
        throw .system(SystemError(call: "the socket", code: ENODEV))
      }
      return socket
    }
    try self.init(Options(), Sockets(management: { () throws(RadioError) in kernel }, raw: raw))
  }

  init(_ options: Options, _ sockets: Sockets) throws(RadioError) {
    self.options = options
    self.sockets = sockets
    if bell.reading < 0 { throw .system(SystemError(call: "pipe", code: EMFILE)) }
  }

  /// Receives until `stop`. Blocks, so run it on a thread of its own, or use `start`.
  package func run(_ handlers: Handlers) throws(RadioError) {
    guard let management = try openManagement(handlers) else { return }
    let loop = LiveLoop(options, handlers, management: management, openRaw: sockets.raw)
    try loop.run(until: bell)
  }

  /// If it waits for an adapter, it also waits for the kernel's Bluetooth module. nil: stopped meanwhile.
  private func openManagement(_ handlers: Handlers) throws(RadioError) -> HCISocket? {
    var hasTold = false
    while true {
      do throws(RadioError) {
        return try sockets.management()
      } catch {
        guard error == .noBluetooth, options.waitsForAdapter else { throw error }
        if !hasTold { handlers.onNotice("\(error); waiting for it") }
        hasTold = true
        if bell.sleep(for: sockets.pause) { return nil }
      }
    }
  }

  /// Receives on a thread of its own until `stop`; `onEnd` is called there at the end, with the error if one ended it.
  package func start(_ handlers: Handlers, onEnd: @escaping @Sendable (RadioError?) -> Void)
    throws(RadioError)
  {
    do throws(SystemError) {
      try Thread.start {
        do throws(RadioError) {
          try self.run(handlers)
          onEnd(nil)
        } catch {
          onEnd(error)
        }
      }
    } catch {
      throw .system(error)
    }
  }

  /// Receives until `stop`, the end of the task, or an error.
  package func listen(_ handlers: Handlers) async throws(RadioError) {
    let error = await withTaskCancellationHandler {
      await withCheckedContinuation { (ended: CheckedContinuation<RadioError?, Never>) in
        do throws(RadioError) {
          try start(handlers) { ended.resume(returning: $0) }
        } catch {
          ended.resume(returning: error)
        }
      }
    } onCancel: {
      stop()
    }
    if let error { throw error }
  }

  /// Ends `run` within a second; may be called from anywhere, and more than once.
  package func stop() { bell.ring() }
}
