// swift-tools-version: 6.2
import PackageDescription

/// Fuzzers of whatever reads hostile bytes, one executable each; `./run` builds and runs them. A package of its
/// own, because libFuzzer brings its own `main` and wants everything instrumented.
///
/// To add one: a folder in `Sources` with `LLVMFuzzerTestOneInput`, a line here, seeds in `Corpus/<name>`.
let package = Package(
  name: "Fuzz",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "beaconkeeper", path: "../..")],
  targets: [
    fuzzer("FuzzADStructures", of: "Beacons"),
    fuzzer("FuzzFormats", of: "Beacons"),
    fuzzer("FuzzHCIEvents", of: "Beacons"),
    fuzzer("FuzzPairing", of: "Radio"),
    fuzzer("FuzzScanners", of: "Contract"),
    fuzzer("FuzzObservations", of: "Contract"),
    fuzzer("FuzzSnapshots", of: "Configuration", "Contract", "Phones", "Pipeline", "Proximity"),
    fuzzer("FuzzLogs", of: "Phones"),
    fuzzer("FuzzMarks", of: "Captures"),
    fuzzer("FuzzCalibration", of: "Configuration"),
    fuzzer("FuzzEditing", of: "Configuration", "Proximity"),
    .target(
      name: "CaptureFuzzing",
      dependencies: [
        .product(name: "Beacons", package: "beaconkeeper"),
        .product(name: "Captures", package: "beaconkeeper"),
      ]),
    captureFuzzer("FuzzBtsnoop"),
    captureFuzzer("FuzzPcap"),
    captureFuzzer("FuzzTextForm"),
  ]
)

func fuzzer(_ name: String, of products: String...) -> Target {
  .executableTarget(
    name: name,
    dependencies: Set(products + ["Beacons"]).sorted().map { .product(name: $0, package: "beaconkeeper") },
    swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library"])])
}

func captureFuzzer(_ name: String) -> Target {
  .executableTarget(
    name: name, dependencies: ["CaptureFuzzing"],
    swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library"])])
}
