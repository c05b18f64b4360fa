import Testing

@testable import Gateway

@Suite struct UntouchedPagesTests {
  private let smaps = """
    55861daf3000-55861e526000 r--p 00000000 fe:00 1234                       /usr/bin/beaconkeeper
    Size:              10444 kB
    Anonymous:             0 kB
    VmFlags: rd mr mw me dw
    55861e526000-55861fd38000 r-xp 00a32000 fe:00 1234                       /usr/bin/beaconkeeper
    Anonymous:             0 kB
    55861fd38000-55861fe1d000 r--p 02243000 fe:00 1234                       /usr/bin/beaconkeeper
    Anonymous:           916 kB
    55861fe1d000-5586222ee000 rw-p 02327000 fe:00 1234                       /usr/bin/beaconkeeper
    Anonymous:             0 kB
    7fb676fff000-7fb677000000 ---p 00000000 00:00 0
    Anonymous:             0 kB
    7fb67c000000-7fb67c021000 r--p 00000000 00:00 0                          [vvar]
    Anonymous:             0 kB
    7fb67d000000-7fb67d100000 r--p 00000000 fe:00 77                         /usr/lib/locale with a space/C.utf8
    Anonymous:             0 kB
    """

  @Test func onlyWhatIsAsInItsFileAndCannotBeWrittenIsDropped() {
    #expect(
      UntouchedPages.droppable(smaps) == [
        0x5586_1daf_3000..<0x5586_1e52_6000, 0x5586_1e52_6000..<0x5586_1fd3_8000,
        0x7fb6_7d00_0000..<0x7fb6_7d10_0000,
      ])
  }

  @Test(arguments: [
    "", "\n\n", "Anonymous: 0 kB", "zz-1 r--p 0 fe:00 1 /a\nAnonymous: 0 kB",
    "2-1 r--p 0 fe:00 1 /a\nAnonymous: 0 kB",
  ])
  func whatIsNoSuchTextDropsNothing(_ text: String) { #expect(UntouchedPages.droppable(text).isEmpty) }

  @Test func theProcessGoesOnWithoutItsPages() {
    UntouchedPages.release()
    #expect([3, 1, 2].sorted() == [1, 2, 3])
    #expect("\(Double.pi)".hasPrefix("3.14159"))
  }
}
