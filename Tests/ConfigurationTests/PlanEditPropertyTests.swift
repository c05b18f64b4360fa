@testable import Configuration
import Foundation
import Proximity
import TestSupport
import Testing

/// However a file is written and whatever is drawn: the file then has that plan, every comment, and nothing else is changed.
@Suite struct PlanEditPropertyTests {
  @Test(arguments: 0..<3) func `every drawn plan reads back as it was drawn`(seed: UInt64) throws {
    var dice = SeededGenerator(seed: seed)
    var saved = 0
    for _ in 0..<10 {
      var text = House(&dice).yaml
      for _ in 0..<2 {
        let before = try read(text).configuration
        let plan = drawn(over: before, &dice)
        let changed: ConfigurationText.Changed
        do throws(EditRefusal) { changed = try ConfigurationTests.text(text).changing(plan) } catch {
          // Only what no file can say.
          let isWrong =
            plan.fault(over: before) != nil || error.diagnostics.contains { $0.severity == .error }
          #expect(isWrong, "\(error)\n\(text)")
          continue
        }
        saved += 1
        let after = String(decoding: changed.bytes, as: UTF8.self)
        #expect(plan.isMeant(by: try read(after).configuration, instead: before), "\(text)\n→\n\(after)")
        #expect(comments(text).isSubset(of: comments(after)), "\(text)\n→\n\(after)")
        #expect(text.contains("\r\n") == after.contains("\r\n"))
        // Drawn again, it changes nothing.
        var same = DrawnPlan()
        same.rooms = changed.configuration.rooms.map(kept)
        same.doors = changed.configuration.doors
        #expect(try ConfigurationTests.text(after).changing(same).bytes == changed.bytes)
        text = after
      }
    }
    #expect(saved > 10)
  }

  private func kept(_ room: RoomSettings) -> DrawnPlan.Room {
    DrawnPlan.Room(
      name: room.name, former: room.name, floor: room.floor, outline: room.outline, receivers: room.receivers)
  }

  private func drawn(over before: Configuration, _ dice: inout SeededGenerator) -> DrawnPlan {
    var plan = DrawnPlan()
    plan.doors = before.doors.filter { _ in Int.random(in: 0..<3, using: &dice) > 0 }
    plan.rooms = before.rooms.map(kept)
    for place in plan.rooms.indices.reversed() {
      switch Int.random(in: 0..<9, using: &dice) {
      case 0: plan.rooms.remove(at: place)
      case 1: plan.rooms[place].name = "it's \(Int.random(in: 0..<99, using: &dice)): \"x\" # 🛋"
      case 2: plan.rooms[place].outline = square(place, Double.random(in: 1...9, using: &dice))
      case 3: plan.rooms[place].outline.append(Point(x: 10 * Double(place) - 0.5, y: 1.1))
      case 4: plan.rooms[place].receivers.append("new-\(place)")
      case 5: plan.rooms[place].receivers = ["other-\(place)"]
      default: break
      }
    }
    for new in 0..<Int.random(in: 0...2, using: &dice) {
      plan.rooms.append(
        DrawnPlan.Room(
          name: "new \(new) \(Int.random(in: 0..<999, using: &dice))", former: nil, floor: nil,
          outline: square(30 + new, 3), receivers: new == 0 ? [] : ["late-\(dice.next())"]))
    }
    if Bool.random(using: &dice) {
      let x = (Double.random(in: -9...9, using: &dice) * 100).rounded() / 100
      plan.doors.append(DoorSettings(from: Point(x: x, y: 0), to: Point(x: x, y: 0.9), floor: nil))
    }
    for receiver in before.receivers where Int.random(in: 0..<3, using: &dice) == 0 {
      plan.places.updateValue(
        Bool.random(using: &dice) ? nil : Position(x: -1.25, y: 7, z: 2), forKey: receiver.name)
    }
    if Bool.random(using: &dice) { plan.places["board"] = Position(x: 2, y: 3) }
    return plan
  }

  private func square(_ place: Int, _ side: Double) -> [Point] {
    let x = 10 * Double(place)
    return [(x, 0), (x + side, 0), (x + side, side), (x, side)].map { corner in
      Point(x: (corner.0 * 100).rounded() / 100, y: (corner.1 * 100).rounded() / 100)
    }
  }

  private func comments(_ text: String) -> Set<Substring> {
    Set(
      text.split(whereSeparator: \.isNewline).compactMap { line in
        line.range(of: "#c").map { line[$0.lowerBound...] }
      })
  }
}

/// A house as people write it: in lines or in braces, with comments everywhere.
private struct House {
  private(set) var yaml = ""
  private var comment = 0

  init(_ dice: inout SeededGenerator) {
    let isFlow = Int.random(in: 0..<3, using: &dice) == 0
    let count = Int.random(in: 0...4, using: &dice)
    yaml = "gateway: { name: g }\(note(&dice))\n"
    receivers(&dice)
    if count > 0 {
      yaml += isFlow ? "rooms: [\(note(&dice))\n" : "rooms:\(note(&dice))\n"
      for place in 0..<count {
        if isFlow {
          yaml += "  \(inBraces(place))\(place + 1 < count ? "," : "")\(note(&dice))\n"
        } else if Bool.random(using: &dice) {
          yaml += "  - \(inBraces(place))\(note(&dice))\n"
        } else {
          yaml += inLines(place, &dice)
        }
      }
      if isFlow { yaml += "]\(note(&dice))\n" }
    }
    if count > 1, Bool.random(using: &dice) {
      yaml += "doors:\(note(&dice))\n"
      for place in 0..<2 {
        yaml += "- { from: [\(place) m, 0 m], to: [\(place) m, 90 cm] }\(note(&dice))\n"
      }
    }
    if count > 0, Bool.random(using: &dice) {
      yaml += "zones:\n  - { name: z, rooms: [\"room 0\"] }\(note(&dice))\n"
    }
    yaml += "# \(String(note(&dice).dropFirst(3)))end\n"
    if Int.random(in: 0..<4, using: &dice) == 0 { yaml = yaml.replacing("\n", with: "\r\n") }
    if Int.random(in: 0..<4, using: &dice) == 0 { yaml = String(yaml.dropLast()) }
  }

  private mutating func note(_ dice: inout SeededGenerator) -> String {
    guard Bool.random(using: &dice) else { return "" }
    comment += 1
    return "   #c\(comment)."
  }

  private mutating func receivers(_ dice: inout SeededGenerator) {
    guard Bool.random(using: &dice) else { return }
    yaml += """
      receivers:\(note(&dice))
        - name: r0\(note(&dice))
          position: [1 m, 2 m]\(note(&dice))
        - { name: r1, position: [100 cm, 2 m, 1 m] }\(note(&dice))
        - name: r2\(note(&dice))

      """
  }

  private func inBraces(_ place: Int) -> String {
    let x = 10 * place
    return
      "{ name: 'room \(place)', receivers: [r\(place)], outline: [[\(x) m, 0 m], [\(x + 4) m, 0 m], [\(x + 4) m, 3.333 m]] }"
  }

  private mutating func inLines(_ place: Int, _ dice: inout SeededGenerator) -> String {
    let x = 10 * place
    var text = "  - name: room \(place)\(note(&dice))\n"
    if Bool.random(using: &dice) { text += "    receivers:\(note(&dice))\n      - r\(place)\(note(&dice))\n" }
    text += "    outline:\(note(&dice))\n"
    for (east, north) in [(x, 0), (x + 4, 0), (x + 4, 3), (x, 3)] {
      text += "      - [\(east) m, \(north) m]\(note(&dice))\n"
    }
    if Bool.random(using: &dice) { text += "    area: Area \(place)\(note(&dice))\n" }
    return text
  }
}
