import Beacons

/// Rows of a snapshot point to each other. Whoever follows them must get to an end, and to rows of his own.
extension ZoneEngine {
  func checkChains(_ coder: borrowing StateCoder) throws(StateError) {
    guard
      chainsOfLinks(), chainsOfPresences(), chainsOfMembers(),
      links.allSatisfy({ Int($0.link.receiver.rawValue) < receivers.count }),
      presences.allSatisfy({ $0.lastLink < 0 || isLink($0.lastLink, of: $0.beacon) })
    else { throw coder.damaged }
  }

  private func isLink(_ link: Int32, of beacon: Int32) -> Bool {
    Int(link) < links.count && links[Int(link)].beacon == beacon
  }

  private func chainsOfLinks() -> Bool {
    var met = Met(links.count)
    for beacon in beacons.indices {
      var (link, count) = (beacons[beacon].firstLink, 0)
      while link >= 0 {
        guard met.isNew(link), links[Int(link)].beacon == beacon, beacons[beacon].isAdmitted else {
          return false
        }
        link = links[Int(link)].nextOfBeacon
        count += 1
      }
      guard count == beacons[beacon].linkCount, count <= Self.receiversPerBeacon else { return false }
    }
    var link = freeLink
    while link >= 0 {
      guard met.isNew(link), !links[Int(link)].link.isCurrent, links[Int(link)].firstMember < 0 else {
        return false
      }
      link = links[Int(link)].nextOfBeacon
    }
    return met.isComplete
  }

  private func chainsOfPresences() -> Bool {
    var met = Met(presences.count)
    for beacon in beacons.indices {
      var presence = beacons[beacon].firstPresence
      while presence >= 0 {
        guard met.isNew(presence), presences[Int(presence)].beacon == beacon, beacons[beacon].isAdmitted
        else {
          return false
        }
        presence = presences[Int(presence)].nextOfBeacon
      }
    }
    var presence = freePresence
    while presence >= 0 {
      guard met.isNew(presence), !presences[Int(presence)].presence.isInside,
        presences[Int(presence)].firstMember < 0
      else { return false }
      presence = presences[Int(presence)].nextOfBeacon
    }
    return met.isComplete
  }

  private func chainsOfMembers() -> Bool {
    var (byLink, byPresence) = (Met(members.count), Met(members.count))
    for (link, slot) in links.enumerated() {
      var member = slot.firstMember
      while member >= 0 {
        guard byLink.isNew(member), members[Int(member)].link == link else { return false }
        member = members[Int(member)].nextOfLink
      }
    }
    for (presence, slot) in presences.enumerated() {
      var member = slot.firstMember
      while member >= 0 {
        guard byPresence.isNew(member), members[Int(member)].presence == presence,
          isLink(members[Int(member)].link, of: slot.beacon)
        else { return false }
        member = members[Int(member)].nextOfPresence
      }
    }
    var member = freeMember
    while member >= 0 {
      guard byLink.isNew(member), byPresence.isNew(member) else { return false }
      member = members[Int(member)].nextOfLink
    }
    return byLink.isComplete && byPresence.isComplete
  }
}

/// Rows that were met.
private struct Met {
  private var rows: [Bool]
  private var count = 0

  init(_ count: Int) { rows = [Bool](repeating: false, count: count) }

  var isComplete: Bool { count == rows.count }

  /// Whether there is such a row, and it was not met before.
  mutating func isNew(_ row: Int32) -> Bool {
    guard Int(row) < rows.count, !rows[Int(row)] else { return false }
    rows[Int(row)] = true
    count += 1
    return true
  }
}
