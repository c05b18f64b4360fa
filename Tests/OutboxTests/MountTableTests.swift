import Testing

@testable import Outbox

@Suite struct MountTableTests {
  private let table = MountTable(
    """
    /dev/mmcblk0p2 / ext4 ro 0 0
    tmpfs /var tmpfs rw 0 0
    /dev/sda1 /var/lib/beacon\\040keeper ext4 rw 0 0
    tmpfs /varnish tmpfs rw 0 0
    /dev/sdb1 /late ext4 rw 0 0
    tmpfs /late tmpfs rw 0 0
    """)

  @Test func theInnermostMountDecides() {
    #expect(table.isInMemory("/var/lib/beaconkeeper/home.sqlite"))
    #expect(!table.isInMemory("/var/lib/beacon keeper/home.sqlite"))
    #expect(!table.isInMemory("/home/anna/state"))
    #expect(table.isInMemory("/late/state"))
  }

  @Test func aTableThatCannotBeReadSaysNothing() {
    #expect(!MountTable("").isInMemory("/var"))
    #expect(!MountTable("odd\n\n x").isInMemory("/"))
  }
}
