import Beacons
import Testing

@Suite struct ThermometerTests {
  /// https://decoder.theengs.io (IBT-2X), https://github.com/Bluetooth-Devices/inkbird-ble.
  @Test func `a socket without a probe has no temperature, in either way to say so`() {
    #expect(told("0302f0ff0fff01000000ffeeddccbbaaffff4f01") == "temperature_c_2 33.5")
    #expect(told("0302f0ff0fff00000000aabbccddeefff6ff8a02") == "temperature_c_2 65.0")
    #expect(told("0302f0ff0fff00000000aabbccddeefffeff8a02") == "temperature_c -0.2, temperature_c_2 65.0")
  }

  @Test func `a barbecue thermometer is known by its name, too`() {
    #expect(
      told("0509694242510fff01000000ffeeddccbbaadc00cf00") == "temperature_c 22.0, temperature_c_2 20.7")
  }

  /// https://decoder.theengs.io (IBS-TH1/TH2).
  @Test(arguments: [
    ("04097470730aff4808930f00c83d5606", "battery_pct 86.0, humidity_pct 39.87, temperature_c 21.2"),
    ("04097470730aff660a19200010805908", "battery_pct 89.0, humidity_pct 82.17, temperature_c 26.62"),
    ("04097470730aff4808000000c83d5606", "battery_pct 86.0, temperature_c 21.2"),
    ("04097470730aff4808ffff00c83d5606", "battery_pct 86.0, temperature_c 21.2"),
  ]) func `humidity is told of a thermometer that has a hygrometer`(payload: String, expected: String) {
    #expect(told(payload) == expected)
  }

  /// https://decoder.theengs.io (T201, T301).
  @Test func `Brifit's thermometer has an octet more than Oria's`() {
    #expect(
      told("05095432303115ff55aa0101a4c13874b08501070a1d10f064000100")
        == "battery_pct 100.0, humidity_pct 43.36, temperature_c 25.89")
    #expect(
      told("05095433303114ff55aa0105aabbccddeeff01070a0015e0630001")
        == "battery_pct 99.0, humidity_pct 56.0, temperature_c 25.6")
    #expect(model("14ff55aa0105aabbccddeeff01070a0015e0630001") == "T301")
    #expect(model("15ff55aa0101a4c13874b08501070a1d10f064000100") == "T201")
    #expect(told("13ff55aa0105aabbccddeeff01070a0015e06300") == "", "an octet short")
  }

  /// By hand from https://github.com/Bluetooth-Devices/sensorpush-ble.
  @Test func `SensorPush's first thermometer and its thermocouple are read`() {
    let service = "1107a90a09ecd79db893ba42d611000009ef"
    #expect(told("020973" + service + "05ff87568e05") == "humidity_pct 44.99, temperature_c 21.5")
    #expect(told("020973" + service + "05ff87568e09") == "", "another kind")
    #expect(told("03097373" + service + "05ff87568e05") == "", "another name")
    #expect(told("020973" + "05ff87568e05") == "", "no service")
    #expect(told("0b0953656e736f7250757368" + "05ff08100e00") == "temperature_c 25.0")
    #expect(told("0b0953656e736f7250757368" + "05ff080c0000") == "temperature_c -199.25")
  }

  /// By hand from https://github.com/Bluetooth-Devices/inkbird-ble.
  @Test func `Inkbird's air monitor shows degrees of either kind`() {
    #expect(
      told("12ff5432006200a10203" + "0000" + "00d701c203205a")
        == "co2_ppm 800.0, humidity_pct 45.0, temperature_c 21.5")
    #expect(
      told("12ff5432006200a10203" + "0002" + "02bb01c203205a")
        == "co2_ppm 800.0, humidity_pct 45.0, temperature_c 21.06")
    #expect(
      told("12ff5432006200a10203" + "0000" + "ffce01c203205a")
        == "co2_ppm 800.0, humidity_pct 45.0, temperature_c -5.0")
    #expect(told("12ff5432006300a10203000000d701c203205a") == "", "another's company id")
  }

  @Test func `a band counts steps`() {
    #expect(told("0716e0fe8d230000") == "count 9101.0")
  }
}
