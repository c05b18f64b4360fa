import Beacons
import Core
import Testing

/// Test vectors of the formats' own pages at docs.ruuvi.com.
@Suite struct RuuviTests {
  private func readings(ruuvi data: String) -> [String: Reading.Value] {
    BeaconsTests.readings(manufacturer("0499", data))
  }

  @Test func format3() {
    #expect(
      readings(ruuvi: "03291a1ece1efc18f94202ca0b53")
        == [
          "temperature_c": .number(26.3), "humidity_pct": .number(20.5), "pressure_hpa": .number(1027.66),
          "acceleration_x_g": .number(-1), "acceleration_y_g": .number(-1.726),
          "acceleration_z_g": .number(0.714), "battery_v": .number(2.899),
        ])
  }

  @Test func format3CountsDegreesBelowZeroBySign() {
    #expect(readings(ruuvi: "0300ff6300008001800180010000")["temperature_c"] == .number(-127.99))
    #expect(readings(ruuvi: "0300800500008001800180010000")["temperature_c"] == .number(-0.05))
  }

  @Test func format5() {
    #expect(
      readings(ruuvi: "0512fc5394c37c0004fffc040cac364200cdcbb8334c884f")
        == [
          "temperature_c": .number(24.3), "humidity_pct": .number(53.49), "pressure_hpa": .number(1000.44),
          "acceleration_x_g": .number(0.004), "acceleration_y_g": .number(-0.004),
          "acceleration_z_g": .number(1.036), "battery_v": .number(2.977), "tx_power_dbm": .number(4),
          "movement_count": .number(66), "measurement_sequence": .number(205),
        ])
  }

  @Test func format5AtItsLimits() {
    let high = readings(ruuvi: "057ffffffefffe7fff7fff7fffffdefefffecbb8334c884f")
    #expect(high["temperature_c"] == .number(163.835))
    #expect(high["humidity_pct"] == .number(163.835))
    #expect(high["battery_v"] == .number(3.646))
    #expect(high["tx_power_dbm"] == .number(20))
    let low = readings(ruuvi: "058001000000008001800180010000000000cbb8334c884f")
    #expect(low["temperature_c"] == .number(-163.835))
    #expect(low["battery_v"] == .number(1.6))
    #expect(low["tx_power_dbm"] == .number(-40))
  }

  @Test func format5OmitsUnavailableValues() {
    let payload = manufacturer("0499", "058000ffffffff800080008000ffffffffffffffffffffff")
    #expect(BeaconsTests.readings(payload).isEmpty)
    #expect(details(payload) == ["data_format": .number(5)])
  }

  @Test func theTagsAddressIsADetail() {
    #expect(
      details(manufacturer("0499", "0512fc5394c37c0004fffc040cac364200cdcbb8334c884f"))
        == ["data_format": .number(5), "mac": .text("CB:B8:33:4C:88:4F")])
    #expect(
      details(manufacturer("0499", "06170c5668c79e007000c90501d9ffcd004c884f"))
        == ["data_format": .number(6), "mac_low": .text("4c884f")])
    #expect(
      details(
        manufacturer(
          "0499", "e1170c5668c79e0065007004bd11ca00c90a0213e0acffffffdecdee11ffffffffffcbb8334c884f"))
        == ["data_format": .text("E1"), "mac": .text("CB:B8:33:4C:88:4F")])
  }

  @Test func soundHasItsLowestBitAmongTheFlags() {
    let air = readings(
      ruuvi: "e1170c5668c79e0065007004bd11ca00c90a0213e0ac1e5cb6decdeef8ffffffffffcbb8334c884f")
    #expect(air["sound_inst_dba"] == .number(30.2))
    #expect(air["sound_avg_dba"] == .number(55))
    #expect(air["sound_peak_spl_db"] == .number(91))
  }

  @Test func aDeviceWithoutMicrophoneReportsNoSound() {
    let air = readings(
      ruuvi: "e1170c5668c79e0065007004bd11ca00c90a0213e0acffffffdecdee11ffffffffffcbb8334c884f")
    #expect(air["sound_inst_dba"] == nil && air["sound_avg_dba"] == nil && air["sound_peak_spl_db"] == nil)
  }

  private func details(_ payload: String) -> [String: SensorDetail] {
    var details: [String: SensorDetail] = [:]
    let payload = bytes(payload)
    FrameDecoder.forEachFrame(in: payload.span) { result, data in
      guard case .frame(.sensor(let frame), _) = result else { return }
      frame.forEachDetail(in: data) { details[$0] = $1 }
    }
    return details
  }

  @Test func format6() {
    #expect(
      readings(ruuvi: "06170c5668c79e007000c90501d9ffcd004c884f")
        == [
          "temperature_c": .number(29.5), "humidity_pct": .number(55.3), "pressure_hpa": .number(1011.02),
          "pm2_5_ug_m3": .number(11.2), "co2_ppm": .number(201), "voc_index": .number(10),
          "nox_index": .number(2), "illuminance_lx": .number(13026.67),
          "measurement_sequence": .number(205), "calibrating": .flag(false),
        ])
  }

  /// The page's example for 0x80, 244.06 lx, does not follow from its own formula.
  @Test(arguments: [(0x00, 0.0), (0x01, 0.04), (0x10, 1.01), (0x80, 266.43), (0xFE, 65535.0)])
  func format6LuminosityIsLogarithmic(code: Int, lux: Double) {
    let data = "06170c5668c79e007000c90501\(hexadecimal(UInt128(code), octets: 1))ffcd004c884f"
    #expect(readings(ruuvi: data)["illuminance_lx"] == .number(lux))
  }

  @Test func format6TakesTheNinthBitsFromTheFlags() {
    let readings = readings(ruuvi: "067fff9c40fffe27109c40fafbfeffffc14c8f4f")
    #expect(readings["voc_index"] == .number(501))
    #expect(readings["nox_index"] == .number(503))
    #expect(readings["calibrating"] == .flag(true))
  }

  @Test func format6OmitsUnavailableValues() {
    #expect(
      readings(ruuvi: "068000ffffffffffffffffffffffffffffffffff")
        == ["measurement_sequence": .number(255), "calibrating": .flag(true)])
  }

  @Test func formatE1() {
    #expect(
      readings(ruuvi: "e1170c5668c79e0065007004bd11ca00c90a0213e0acffffffdecdee11ffffffffffcbb8334c884f")
        == [
          "temperature_c": .number(29.5), "humidity_pct": .number(55.3), "pressure_hpa": .number(1011.02),
          "pm1_ug_m3": .number(10.1), "pm2_5_ug_m3": .number(11.2), "pm4_ug_m3": .number(121.3),
          "pm10_ug_m3": .number(455.4), "co2_ppm": .number(201), "voc_index": .number(20),
          "nox_index": .number(4), "illuminance_lx": .number(13027),
          "measurement_sequence": .number(14_601_710), "calibrating": .flag(true),
        ])
  }

  @Test func formatE1OmitsUnavailableValues() {
    let data = "e18000" + String(repeating: "ff", count: 37)
    #expect(readings(ruuvi: data) == ["calibrating": .flag(true)])
  }

  @Test(arguments: [("03", 14), ("05", 24), ("06", 20), ("e1", 40)]) func aShortOneIsDeclined(
    format: String, length: Int
  ) {
    let data = format + String(repeating: "00", count: length - 2)
    #expect(declines(manufacturer("0499", data)) == [.wrongLength(expected: length, got: length - 1)])
    #expect(frames(manufacturer("0499", data + "00")).count == 1)
    #expect(frames(manufacturer("0499", data + "0000ff")).count == 1, "trailing bytes")
  }

  @Test func otherFormatsAreDeclined() {
    #expect(declines(manufacturer("0499", "08")) == [.unknownFrameType(0x08)])
  }
}
