// swift-tools-version: 6.2
import PackageDescription

/// The settings of every module: Swift 6 concurrency, explicit `any`, no warnings.
let house: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  // Swift 6.2 requires it for extensions of OutputSpan.
  .enableExperimentalFeature("Lifetimes"),
  .treatAllWarnings(as: .error),
]

/// Most tests are not optimised: that would take half of their compilation, and what they test is optimised all the same. Those of
/// the pipeline are, because not optimised they may not change two members of a structure at once that closures share.
let trial: [SwiftSetting] = house + [.unsafeFlags(["-Onone"])]

/// Modules that read hostile bytes mark every unsafe use of memory with `unsafe`.
let hostile: [SwiftSetting] = house + [.strictMemorySafety()]

let package = Package(
  name: "beaconkeeper",
  platforms: [.macOS(.v26)],
  products: [
    .executable(name: "beaconkeeper", targets: ["beaconkeeper"]),
    .library(name: "Beacons", targets: ["Beacons", "Core"]),
    .library(name: "Captures", targets: ["Captures"]),
    .library(name: "Proximity", targets: ["Proximity"]),
    .library(name: "Phones", targets: ["Phones"]),
    // What the fuzzers reach.
    .library(name: "Contract", targets: ["Contract"]),
    .library(name: "Configuration", targets: ["Configuration"]),
    .library(name: "Pipeline", targets: ["Pipeline"]),
    .library(name: "Radio", targets: ["Radio"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.90.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CBlueZ", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
    .systemLibrary(
      name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
    .systemLibrary(
      name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),

    .systemLibrary(
      name: "CTLS", pkgConfig: "libssl", providers: [.apt(["libssl-dev"])]),

    .systemLibrary(
      name: "CRabbitMQ", pkgConfig: "librabbitmq", providers: [.apt(["librabbitmq-dev"])]),

    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),

    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

    // What Swift cannot ask the kernel.
    .target(name: "CLinux"),
    .systemLibrary(name: "CMalloc"),
    .systemLibrary(name: "CPrefetch"),
    // The build's commit.
    .target(name: "CBuild"),
    // Files that are part of the program; deploy/page lists them.
    .target(name: "CDashboardPage"),
    .target(name: "CPhonePages"),
    .target(name: "CVendors"),

    // Time, text, JSON, and what the machine gives.
    .target(
      name: "Core",
      dependencies: ["CLinux"],
      swiftSettings: hostile),
    .target(
      name: "Beacons",
      dependencies: ["CCrypto", "CPrefetch", "Core"],
      swiftSettings: hostile),
    .target(
      name: "Captures",
      dependencies: ["Beacons", "Core"],
      swiftSettings: hostile),
    .target(
      name: "Radio",
      dependencies: ["CBlueZ", "Beacons", "Core"],
      swiftSettings: hostile),
    .target(
      name: "Proximity",
      dependencies: [
        "Beacons", "Core",
        .product(name: "HeapModule", package: "swift-collections"),
      ],
      swiftSettings: house),
    .target(
      name: "Phones",
      dependencies: ["CPhonePages", "Beacons", "Core"],
      swiftSettings: house),
    // All that crosses the broker.
    .target(
      name: "Contract",
      dependencies: ["CVendors", "Beacons", "Core", "Phones", "Proximity"],
      exclude: ["vendors.txt"],
      swiftSettings: hostile),
    .target(
      name: "Configuration",
      dependencies: ["CYAML", "Beacons", "Contract", "Core", "Phones", "Proximity"],
      swiftSettings: hostile),
    // Its dependencies keep it a function of its input: no radio, no broker, no disk, no clock.
    .target(
      name: "Pipeline",
      dependencies: [
        "Beacons", "Configuration", "Contract", "Core", "Phones", "Proximity",
        .product(name: "HeapModule", package: "swift-collections"),
      ],
      swiftSettings: house),
    // A site of many gateways: decisions from a partition's queue, RabbitMQ, and a simulated site. Only this module uses
    // librabbitmq.
    .target(
      name: "Fleet",
      dependencies: [
        "CRabbitMQ", "CTLS", "CZstd", "Beacons", "Configuration", "Contract", "Core", "Pipeline",
        .product(name: "DequeModule", package: "swift-collections"),
      ],
      swiftSettings: house),
    .target(
      name: "Outbox",
      dependencies: [
        "CCrypto", "CSQLite", "Beacons", "Contract", "Core", "Pipeline", "Proximity",
        .product(name: "DequeModule", package: "swift-collections"),
      ],
      swiftSettings: house),
    // It does not depend on beacons.
    .target(
      name: "Mosquitto",
      dependencies: [
        "CMosquitto", "CTLS", "Core",
        .product(name: "DequeModule", package: "swift-collections"),
      ],
      swiftSettings: house),
    // HTTP, and the API's content as JSON. Only this module uses NIO.
    .target(
      name: "Web",
      dependencies: [
        "CDashboardPage", "CTLS", "CZlib", "Beacons", "Configuration", "Contract", "Core", "Phones",
        "Pipeline", "Proximity",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      exclude: ["Page"],
      swiftSettings: hostile),
    // HTML pages in one file each, which need no network.
    .target(
      name: "Reports",
      dependencies: ["Beacons", "Contract", "Core", "Phones", "Proximity"],
      resources: [.embedInCode("Policy/report.js")],
      swiftSettings: house),
    .target(
      name: "Gateway",
      dependencies: [
        "CBuild", "CCrypto", "CMalloc", "Beacons", "Captures", "Configuration", "Contract", "Core",
        "Fleet", "Mosquitto", "Outbox", "Phones", "Pipeline", "Proximity", "Radio", "Web",
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      swiftSettings: house),
    .executableTarget(
      name: "beaconkeeper",
      dependencies: [
        "Beacons", "Captures", "Configuration", "Contract", "Core", "Fleet", "Gateway", "Mosquitto",
        "Outbox", "Phones", "Pipeline", "Proximity", "Radio", "Reports", "Web",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: house),

    // The benchmark program of deploy/bench; not shipped.
    .executableTarget(
      name: "bench",
      dependencies: [
        "Beacons", "Configuration", "Contract", "Core", "Feed", "Gateway", "Mosquitto", "Phones",
        "Pipeline", "Proximity", "Radio",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/Benchmarks/bench",
      swiftSettings: house),
    .target(
      name: "Feed",
      dependencies: ["Core", "Radio"],
      path: "Tests/Benchmarks/Feed",
      swiftSettings: house),
    .target(
      name: "TestSupport",
      dependencies: [],
      path: "Tests/TestSupport",
      swiftSettings: house),
    .target(
      name: "Scenes",
      dependencies: [
        "Beacons", "Configuration", "Contract", "Core", "Pipeline", "Proximity", "TestSupport",
      ],
      path: "Tests/Scenes",
      swiftSettings: house),
    .testTarget(
      name: "CoreTests",
      dependencies: ["Core", "TestSupport"],
      swiftSettings: trial),
    .testTarget(
      name: "BeaconsTests",
      dependencies: ["Beacons", "Core", "TestSupport"],
      swiftSettings: trial),
    .testTarget(
      name: "ConformanceTests",
      dependencies: ["Beacons", "Contract", "Core"],
      exclude: ["Vectors"],
      swiftSettings: trial),
    .testTarget(
      name: "CapturesTests",
      dependencies: ["Beacons", "Captures", "Core", "TestSupport"],
      swiftSettings: trial),
    .testTarget(
      name: "RadioTests",
      dependencies: ["Beacons", "Core", "Feed", "Radio", "TestSupport"],
      swiftSettings: trial),
    .testTarget(
      name: "ProximityTests",
      dependencies: ["Beacons", "Core", "Proximity", "TestSupport"],
      swiftSettings: trial),
    .testTarget(
      name: "PhonesTests",
      dependencies: ["Beacons", "Core", "Phones", "TestSupport"],
      exclude: ["rules.txt"],
      swiftSettings: trial),
    .testTarget(
      name: "ContractTests",
      dependencies: [
        "Beacons", "Configuration", "Contract", "Core", "Phones", "Proximity", "TestSupport",
      ],
      swiftSettings: trial),
    .testTarget(
      name: "ConfigurationTests",
      dependencies: [
        "Beacons", "Configuration", "Contract", "Core", "Phones", "Proximity", "TestSupport",
      ],
      swiftSettings: trial),
    .testTarget(
      name: "PipelineTests",
      dependencies: [
        "Beacons", "Configuration", "Contract", "Core", "Outbox", "Phones", "Pipeline", "Proximity",
        "Scenes", "TestSupport",
      ],
      swiftSettings: house),
    .testTarget(
      name: "FleetTests",
      dependencies: [
        "Beacons", "Configuration", "Contract", "Core", "Fleet", "Gateway", "Pipeline", "Proximity",
        "TestSupport",
      ],
      swiftSettings: trial),
    .testTarget(
      name: "OutboxTests",
      dependencies: [
        "CSQLite", "Beacons", "Contract", "Core", "Outbox", "Phones", "Pipeline", "Proximity",
        "Scenes", "TestSupport",
      ],
      swiftSettings: trial),
    .testTarget(
      name: "MosquittoTests",
      dependencies: ["CMosquitto", "Core", "Mosquitto", "TestSupport"],
      swiftSettings: trial),
    .testTarget(
      name: "WebTests",
      dependencies: [
        "Beacons", "Captures", "Configuration", "Contract", "Core", "Phones", "Pipeline", "Proximity",
        "Scenes", "TestSupport", "Web",
      ],
      swiftSettings: trial),
    .testTarget(
      name: "ReportsTests",
      dependencies: [
        "CCrypto", "Beacons", "Core", "Phones", "Proximity", "Reports", "TestSupport",
      ],
      swiftSettings: trial),
    .testTarget(
      name: "GatewayTests",
      dependencies: [
        "Beacons", "Captures", "Configuration", "Contract", "Core", "Gateway", "Mosquitto", "Outbox",
        "Phones", "Pipeline", "Proximity", "Radio", "Scenes", "TestSupport", "Web",
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: trial),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "beaconkeeper", "Beacons", "bench", "Configuration", "Core", "Gateway", "Outbox", "Proximity",
        "TestSupport",
      ],
      exclude: ["Upgrade"],
      swiftSettings: trial),
  ]
)
