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

  @Test(arguments: [
    // overlayroot: the upper layer is to be seen.
    (
      "overlayroot / overlay rw,lowerdir=/media/root-ro,upperdir=/media/root-rw/overlay 0 0\ntmpfs-root /media/root-rw tmpfs rw 0 0",
      true, false, true
    ),
    (
      "overlay / overlay rw,upperdir=/data/upper,workdir=/data/work 0 0\n/dev/sda1 /data ext4 rw 0 0", true,
      false, false
    ),
    // raspi-config: it is not.
    ("overlay / overlay rw,lowerdir=/lower,upperdir=/upper/data,workdir=/upper/work 0 0", false, false, true),
    // A container's is not, either, but it is on the host's disk.
    ("overlay / overlay rw,upperdir=/var/lib/docker/overlay2/a/diff 0 0", false, true, false),
    // Relative to the folder of whoever mounted it, not to ours.
    ("overlay / overlay rw,lowerdir=l/A:l/B,upperdir=c0/diff,workdir=c0/work 0 0", false, false, false),
    ("overlay / overlay rw,upperdir=up 0 0\ntmpfs /var/lib/up tmpfs rw 0 0", true, false, false),
    ("overlay / overlay ro,lowerdir=/a:/b 0 0", true, false, false),
  ])
  func whatIsWrittenToAnOverlayGoesToItsUpperLayer(
    mounts: String, isSeen: Bool, isContainer: Bool, isInMemory: Bool
  ) {
    let table = MountTable(mounts, isContainer: isContainer) { _ in isSeen }
    #expect(table.isInMemory("/var/lib/beaconkeeper") == isInMemory)
  }
}
