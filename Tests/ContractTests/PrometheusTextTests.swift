@testable import Contract
import Testing

@Suite struct PrometheusTextTests {
  @Test func aFamilySaysWhatKindItIs() {
    var text = PrometheusText(labels: [("gateway", "site"), ("worker", "a\"b\\c\n")])
    text.family("beacons", "How many.")
    text.sample("beacons", 3)
    text.family("seen_total", "How often.")
    text.sample("seen_total", [("partition", "7")], 4)
    #expect(
      text.text == #"""
        # HELP beaconkeeper_beacons How many.
        # TYPE beaconkeeper_beacons gauge
        beaconkeeper_beacons{gateway="site",worker="a\"b\\c\n"} 3
        # HELP beaconkeeper_seen_total How often.
        # TYPE beaconkeeper_seen_total counter
        beaconkeeper_seen_total{gateway="site",worker="a\"b\\c\n",partition="7"} 4

        """#)
  }

  @Test(arguments: [(0, "0.000"), (7, "0.007"), (1234, "1.234"), (-50, "-0.050"), (60_000, "60.000")])
  func thousandthsAreDecimals(thousandths: Int64, expected: String) {
    var text = PrometheusText(labels: [("a", "b")])
    text.sample("age_seconds", [], thousandths: thousandths)
    #expect(text.text == "beaconkeeper_age_seconds{a=\"b\"} \(expected)\n")
  }
}
