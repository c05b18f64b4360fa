@testable import Configuration
import Foundation
import Testing

/// What `check` says of rooms, and the examples.
@Suite struct RoomExplanationTests {
  private func explain(_ file: String) throws -> Explanation {
    let path = configFolder.appendingPathComponent("examples/rooms/\(file)").path
    let loaded = try Configuration.load(path: path)
    #expect(loaded.warnings == [])
    return Explanation(loaded.configuration)
  }

  @Test func theSimpleExampleNeedsNothingMore() throws {
    let explanation = try explain("simple.yaml")
    #expect(
      explanation.plan
        == "3 rooms; decided by receivers alone, because there are no outlines; not calibrated: "
        + "`beaconkeeper calibrate` improves this")
    #expect(
      explanation.rooms.map { $0.sentences } == [
        ["Without an outline.", "Receiver: esp-kitchen."],
        ["Without an outline.", "Receivers: esp-sofa and esp-window."],
        ["Without an outline.", "Receiver: hci0."],
      ])
  }

  @Test func boardsOverMQTTNeedNoRadio() throws {
    let explanation = try explain("espresense.yaml")
    #expect(explanation.rooms.map(\.name) == ["kitchen", "living room", "bedroom"])
    #expect(explanation.rooms.last?.sentences == ["Without an outline.", "Receiver: esp-bedroom."])
  }

  @Test func outlinesTellSizesAndNeighbours() throws {
    let explanation = try explain("outlines.yaml")
    #expect(
      explanation.plan
        == "5 rooms; on ground at 0 m and upstairs at 2.8 m; 160 m² inside outlines; with 3 doors; not calibrated: "
        + "`beaconkeeper calibrate` improves this")
    #expect(explanation.rooms.map(\.name) == ["kitchen", "hall", "living", "bed", "studio"])
    #expect(
      explanation.rooms.first?.sentences == [
        "12 m², 4 corners, on ground.", "Next to hall and living.",
        "Receiver: esp-kitchen ([20 cm, 2 m], 2 m high).",
      ])
    #expect(explanation.rooms.last?.sentences[1] == "Next to no other room.")
  }

  @Test func missingPartsAreNamed() throws {
    let explanation = Explanation(
      try read(
        """
        receivers: [{ name: c, position: [1 m, 1 m] }]
        rooms:
          - { name: k, receivers: [a, b], outline: [[0 m, 0 m], [3 m, 0 m], [3 m, 4 m], [0 m, 4 m]] }
          - { name: h, receivers: [d] }
        calibration: /var/lib/rooms.json
        """, calibrates: true
      ).configuration)
    #expect(
      explanation.plan?.hasSuffix("so a wall may have one anywhere; calibrated by /var/lib/rooms.json")
        == true)
    #expect(
      explanation.rooms[0].sentences.suffix(2) == [
        "Receivers: a, b and c ([1 m, 1 m], 1.2 m high).",
        "Missing: the position of a and b, under receivers:.",
      ])
    #expect(explanation.rooms[1].sentences.last == "Missing: its outline, as other rooms have one.")
  }

  @Test func aZoneOfRoomsNamesThem() throws {
    let zone = try #require(try explain("simple.yaml").zones.first)
    #expect(
      zone.sentences == [
        "Made of the rooms kitchen and living room; watches every beacon.",
        "enter: once a beacon is in one of them.",
        "exit: once it is in none of them for 30 s, or is no longer heard.",
      ])
  }

  @Test func withoutRoomsThereIsNoExplanation() throws {
    let explanation = Explanation(try read("gateway: {}").configuration)
    #expect(explanation.plan == nil && explanation.rooms.isEmpty)
  }
}
