/// Why a walk teaches nothing, in plain words.
package struct UselessWalk: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
