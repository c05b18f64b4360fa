import Proximity
import Testing

@Suite struct SiteTests {
  @Test func aReceiverWithoutCalibrationIsHeardAsTheModelSays() {
    #expect(Calibration().offset == 0)
    #expect(Calibration().measuredPower == nil)
  }
}
