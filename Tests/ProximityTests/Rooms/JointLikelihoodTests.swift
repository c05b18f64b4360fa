import Glibc
import Testing

@testable import Proximity

@Suite struct JointLikelihoodTests {
  @Test func `logarithms and powers are those of the C library`() {
    for exponent in stride(from: Float(-80), through: 80, by: 0.37) {
      let number = exp(exponent)
      let logarithm = SIMD8<Float>(repeating: number).logarithm[3]
      #expect(abs(logarithm - log(number)) <= 2e-7 * max(abs(exponent), 1), "\(number)")
      let power = SIMD8<Float>(repeating: exponent).exponential[5]
      #expect(abs(power - exp(exponent)) <= 4e-7 * exp(exponent), "\(exponent)")
    }
    #expect(SIMD8<Float>(repeating: -.infinity).exponential[0] < 1e-37)
  }

  @Test func `eight at a time reach the elements at the end, too`() {
    for count in 0..<20 {
      var numbers = (0..<count).map { Float($0 + 1) }
      numbers.withUnsafeMutableBufferPointer { $0.transform { $0 * 2 } }
      #expect(numbers == (0..<count).map { Float(2 * $0 + 2) })
    }
  }

  @Test(arguments: [0, 7, 8, 21])
  func `logarithms are related to the largest of those that count`(count: Int) {
    var logs = (0..<count).map { Float($0 * 5 % 13) }
    var belief = (0..<count).map { $0 % 4 == 3 ? Float(0) : 0.1 }
    let counted = logs.indices.filter { belief[$0] > 0 }.map { logs[$0] }
    let most = logs.withUnsafeMutableBufferPointer { logs in
      belief.withUnsafeMutableBufferPointer { logs.most(where: $0) }
    }
    #expect(most == counted.max() ?? -.infinity)
    let powers = logs.map { exp(min($0 - most, 0)) }
    logs.withUnsafeMutableBufferPointer { $0.exponentiate(most: most) }
    for (log, power) in zip(logs, powers) { #expect(abs(log - power) <= 1e-6 * power) }
  }

  @Test(arguments: [false, true])
  func `a large site's belief is that of a small one, which has tables`(isMeasured: Bool) {
    let plan = RoomScene.plan()
    let samples = (0..<40).map {
      RoomCalibration.Sample(
        receiver: "b", floor: nil, x: 0.3 * Double($0), y: 1, level: -60 - Double($0), spread: 4, weight: 3)
    }
    let calibration = RoomCalibration(
      receivers: ["a", "b", "c"].map { .init(name: $0, power: -55, exponent: 2) }, wallLoss: 4,
      samples: samples, histograms: [])
    let model = RoomModel(
      plan, isMeasured ? calibration : nil, rooms: ["x", "y", "z"], receivers: ["a", "b", "c"], floors: [nil])
    var filter = RoomFilter()
    var (joint, byTables) = (model.prior, model.prior)
    // Ten levels are more than a group.
    let levels = (0..<10).map { index in
      let pause: RoomModel.Pause = index < 4 ? .short : .none
      return (hearer: index % 3, level: Float(-50 - 3 * index), pause: pause)
    }
    joint.withUnsafeMutableBufferPointer { belief in
      filter.weigh(belief, by: levels.map { ($0.hearer, $0.level, model.temper(after: $0.pause)) }, model)
      #expect(filter.normalise(belief))
    }
    byTables.withUnsafeMutableBufferPointer { belief in
      for level in levels {
        filter.weigh(belief, by: model.likelihoods(level.hearer, level: level.level, after: level.pause))
        #expect(filter.normalise(belief))
      }
    }
    for place in joint.indices {
      #expect(abs(joint[place] - byTables[place]) <= 2e-5 * byTables[place] + 1e-12, "\(place)")
    }
  }
}
