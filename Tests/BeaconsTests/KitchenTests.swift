import Beacons
import Testing

@Suite struct KitchenTests {
  /// https://github.com/sairon/rapt-ble, tests: both versions.
  @Test(arguments: [
    (
      "1aff524150540178e36d3cb994948b447cb9f63445026226772aac",
      "battery_pct 43.0, specific_gravity 1.01, temperature_c 23.94"
    ),
    (
      "1aff52415054020001c16d2614926b447f52c931c9022d29973f46",
      "battery_pct 63.0, specific_gravity 1.02, temperature_c 19.69"
    ),
    ("1aff52415054030001c16d2614926b447f52c931c9022d29973f46", ""),
    ("0cff524150546450696c6c4731", ""),
  ]) func `a hydrometer in the beer tells gravity and temperature`(payload: String, expected: String) {
    #expect(told(payload) == expected)
  }

  @Test func `a probe has eight places, and only its tip if it is read at once`() {
    #expect(
      told("19ffc70901010203044046c41018ee825c400bf4815700000000")
        == "battery_low false, temperature_c 60.0, temperature_c_2 58.5, temperature_c_3 57.0, temperature_c_4 55.0, temperature_c_5 54.0, temperature_c_6 52.0, temperature_c_7 80.0, temperature_c_8 120.0"
    )
    #expect(
      told("19ffc70901010203044006000000000000000000000001010000") == "battery_low true, temperature_c 60.0")
    #expect(told("19ffc70901010203044006000000000000000000000003010000") == "", "an error")
  }

  @Test func `a meat probe tells five places`() {
    #expect(
      told("15ffcd0501406313c000c900c900ca00cb00c0008d11")
        == "battery_pct 99.0, temperature_c 20.1, temperature_c_2 20.1, temperature_c_3 20.2, temperature_c_4 20.3, temperature_c_5 19.2"
    )
  }

  /// Its company id is nobody's.
  @Test func `a keg is one if its numbers fit each other`() {
    #expect(
      told("1effffff49ef138802e20153746f7574000000000000000000000000000000")
        == "volume_l 0.74, volume_storage_l 4.26")
    #expect(
      told("1effffff49ef02e213880153746f7574000000000000000000000000000000") == "", "more than there was")
    #expect(
      told("1effffff49ef138802e21153746f7574000000000000000000000000000000")
        == "volume_l_2 0.74, volume_storage_l_2 4.26")
  }

  /// https://decoder.theengs.io.
  @Test(arguments: [
    ("a4a302ffff7cffffc60400007d73feff7fffffffff", "temperature_c 22.5, voltage_v 12.22"),
    ("a4a302ffff7cffffffff00007d73fcff7fffffffff", ""),
    ("38a308ffffcc040079850cffffffffffffffff", "current_a 10.0, voltage_v 14.01"),
    ("38a308ffffcc0400ffffffffffffffffffffff", ""),
    ("b0a309ffffda0000000000000000050a0008000000", "voltage_v 0.1, voltage_v_2 12.8"),
    ("b0a309ffffdaf9010000000000ff7fffff00000000", ""),
    (
      "f0a30fffff400000f60400000a00000081000000",
      "current_a 0.0, current_a_2 0.0, voltage_v 12.7, voltage_v_2 0.1"
    ),
    ("f0a30fffff400000f60400000a0000", ""),
    ("f0a301ffff400000f60400000a00000081000000", ""),
  ]) func `Victron's devices are read that do not encrypt`(data: String, expected: String) {
    #expect(told(manufacturer("02e1", "1100" + data)) == expected)
    #expect(told(manufacturer("02e1", "1000" + data)) == "", "encrypted")
  }

  @Test func `Moat's, Hörmann's and Victron's are read as others describe them`() {
    #expect(
      told("15ff0010aabbccddeeff11111111d46103cbbe0a0000")
        == "battery_v 2.75, humidity_pct 93.13, temperature_c 20.3")
    #expect(told("14ffb407140000000000000000efbbafa9d1a73b04") == "closed_pct 100.0, garage_door false")
    #expect(told("14ffb407056e00000000000000efbbafa9d1a73b04") == "closed_pct 45.0, garage_door true")
    #expect(told("14ffb40705fe00000000000000efbbafa9d1a73b04") == "")
    #expect(
      told("1affe1021180a5a302ffff7bffff130500008971feff7fffffffff") == "temperature_c 17.5, voltage_v 12.99")
    #expect(told("1affe1021180a5a301ffff7bffff130500008971feff7fffffffff") == "")
  }
}
