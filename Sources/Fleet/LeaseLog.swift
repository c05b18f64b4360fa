import Beacons
import JSON

/// Which worker has which partition, as the stream of leases says it. Every worker reads the whole stream, so that all agree: of
/// the claims with the highest number the first one counts.
public struct LeaseLog: Sendable {
  public struct Claim: Hashable, Sendable {
    public var partition: Int
    public var lease: UInt64
    public var worker: String

    public init(partition: Int, lease: UInt64, worker: String) {
      self.partition = partition
      self.lease = lease
      self.worker = worker
    }

    public var payload: [UInt8] {
      JSONWriter.object {
        $0.field("v", 1)
        $0.field("partition", partition)
        $0.field("lease", lease)
        $0.field("worker", worker)
      }
    }

    /// nil for anything else.
    init?(_ tree: JSONTree) {
      guard let partition = tree["partition"]?.wholeNumber,
        (0..<Int64(LeaseLog.mostPartitions)).contains(partition),
        let lease = tree["lease"]?.wholeNumber, lease > 0, case .text(let worker)? = tree["worker"],
        (1...200).contains(worker.utf8.count)
      else { return nil }
      self.init(partition: Int(partition), lease: UInt64(lease), worker: worker)
    }
  }

  /// A mark that a worker writes. Once it reads it, it has read all that was written before.
  public struct Mark: Hashable, Sendable {
    public var worker: String
    public var number: UInt64

    public init(worker: String, number: UInt64) {
      self.worker = worker
      self.number = number
    }

    public var payload: [UInt8] {
      JSONWriter.object {
        $0.field("v", 1)
        $0.field("worker", worker)
        $0.field("mark", number)
      }
    }
  }

  static let mostPartitions = 1024

  private var claims: [Int: Claim] = [:]

  public init() {}

  /// Takes an entry of the stream in; returns a mark if it is one. Anything else is passed over.
  public mutating func take(_ payload: [UInt8]) -> Mark? {
    guard payload.count <= 1000, let tree = try? JSONTree(payload), tree["v"]?.wholeNumber == 1 else {
      return nil
    }
    if let claim = Claim(tree) {
      if claim.lease > claims[claim.partition]?.lease ?? 0 { claims[claim.partition] = claim }
    } else if let number = tree["mark"]?.wholeNumber, number >= 0, case .text(let worker)? = tree["worker"] {
      return Mark(worker: worker, number: UInt64(number))
    }
    return nil
  }

  /// The claim that counts; nil: there was none yet.
  public func claim(of partition: Int) -> Claim? { claims[partition] }
}
