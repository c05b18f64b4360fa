import Dispatch
import Glibc

extension KeyTerminal {
  /// Gives the terminal to `body` until that returns, then closes it.
  ///
  /// - Parameters:
  ///   - end: called, on any thread, at each signal that would end the program (SIGINT, SIGTERM, SIGHUP); `body` is to return soon.
  ///   - body: has a thread of its own, because it waits for keys.
  func follow<Result: Sendable>(
    onSignal end: @escaping @Sendable () -> Void, _ body: @escaping @Sendable (KeyTerminal) -> Result
  ) async -> Result {
    let numbers = [SIGINT, SIGTERM, SIGHUP]
    let sources = numbers.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler(handler: end)
      source.activate()
      return source
    }
    let result = await withCheckedContinuation { done in
      let box = Box(terminal: self)
      DispatchQueue(label: "keys").async { done.resume(returning: body(box.terminal)) }
    }
    close()
    for source in sources { source.cancel() }
    for number in numbers { signal(number, SIG_DFL) }
    return result
  }

  /// The terminal on its way to the thread that has it alone.
  private struct Box: @unchecked Sendable {
    let terminal: KeyTerminal
  }
}
