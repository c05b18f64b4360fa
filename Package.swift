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

/// Modules that read hostile bytes mark every unsafe use of memory with `unsafe`.
let hostile: [SwiftSetting] = house + [.strictMemorySafety()]

/// Pages of the policy's documentation that are compiled in: the table of rules, and what `simulate --explain` prints.
let policyPages: [Resource] = [
  "RuleTable", "stock", "low-power", "background-task", "location-when-in-use", "location-always",
  "task-list-sampled", "activity-session", "live-updates", "cl-monitor", "live-activity", "altbeacon-legacy",
  "altbeacon-job", "altbeacon-intent", "altbeacon-foreground-service", "companion-presence",
].map { .embedInCode("RangingPolicy.docc/\($0).md") }

let package = Package(
  name: "beaconkeeper",
  platforms: [.macOS(.v26)],
  products: [
    .executable(name: "beaconkeeper", targets: ["beaconkeeper"]),
    .library(name: "Beacons", targets: ["Beacons"]),
    .library(name: "BeaconKeys", targets: ["BeaconKeys"]),
    .library(name: "Captures", targets: ["Captures"]),
    .library(name: "Radio", targets: ["Radio"]),
    .library(name: "Scanners", targets: ["Scanners"]),
    .library(name: "Settings", targets: ["Settings"]),
    .library(name: "SettingsFile", targets: ["SettingsFile"]),
    .library(name: "Proximity", targets: ["Proximity"]),
    .library(name: "Pipeline", targets: ["Pipeline"]),
    .library(name: "RangingPolicy", targets: ["RangingPolicy"]),
    .library(name: "WakePlanner", targets: ["WakePlanner"]),
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

    .systemLibrary(name: "CPrefetch"),

    .target(name: "Beacons", dependencies: ["CPrefetch"], swiftSettings: hostile),
    .target(
      name: "BeaconKeys",
      dependencies: ["Beacons", "CCrypto"],
      swiftSettings: hostile),
    .target(name: "Machine", dependencies: ["Beacons", "CCapabilities"], swiftSettings: hostile),
    .target(name: "MQTT", swiftSettings: house),
    .target(name: "JSON", dependencies: ["Beacons"], swiftSettings: hostile),
    .target(name: "Captures", dependencies: ["Beacons", "JSON", "Machine"], swiftSettings: hostile),
    .target(name: "Radio", dependencies: ["Beacons", "CBlueZ", "Machine"], swiftSettings: hostile),
    .target(
      name: "Proximity",
      dependencies: ["Beacons", .product(name: "HeapModule", package: "swift-collections")],
      swiftSettings: house),
    .target(
      name: "RangingPolicy", dependencies: ["Beacons", "JSON"], resources: policyPages, swiftSettings: house
    ),
    .target(name: "WakePlanner", dependencies: ["RangingPolicy"], swiftSettings: house),
    // HTML pages in one file each, which need no network.
    .target(name: "Pages", dependencies: ["Beacons", "JSON"], swiftSettings: house),
    .target(
      name: "PolicyReport", dependencies: ["JSON", "Messages", "Pages", "RangingPolicy", "WakePlanner"],
      resources: [.embedInCode("report.js")], swiftSettings: house),
    .target(
      name: "Messages", dependencies: ["Beacons", "JSON", "MQTT", "Proximity", "RangingPolicy"],
      swiftSettings: house),
    .target(
      name: "RoomReport", dependencies: ["Beacons", "JSON", "Pages", "Proximity"], swiftSettings: house),
    .target(name: "Scanners", dependencies: ["Beacons", "JSON", "Messages"], swiftSettings: hostile),
    .target(
      name: "Mosquitto",
      dependencies: [
        "CMosquitto", "MQTT", "Machine", .product(name: "DequeModule", package: "swift-collections"),
      ],
      swiftSettings: house),
    // RabbitMQ. Only this module uses librabbitmq.
    .target(name: "AMQP", dependencies: ["CRabbitMQ", "CTLS"], swiftSettings: house),
    .target(
      name: "Settings",
      dependencies: [
        "Beacons", "MQTT", "Messages", "Proximity", "RangingPolicy", "Scanners", "WakePlanner",
      ],
      swiftSettings: house),
    .target(
      name: "SettingsFile",
      dependencies: [
        "CYAML",
        "Beacons", "JSON", "MQTT", "Machine", "Messages", "Proximity", "RangingPolicy", "Scanners",
        "Settings",
        "WakePlanner",
      ],
      swiftSettings: hostile),
    .target(
      name: "Setup", dependencies: ["Beacons", "Messages", "Proximity", "Settings", "SettingsFile"],
      swiftSettings: house),
    // Its dependencies keep it a function of its input: no radio, no broker, no disk, no clock.
    .target(
      name: "Pipeline",
      dependencies: [
        "BeaconKeys", "Beacons", "JSON", "MQTT", "Messages", "Proximity", "RangingPolicy", "Settings",
        .product(name: "HeapModule", package: "swift-collections"),
      ],
      swiftSettings: house),
    // A simulated site and its gateways' observations: a function of settings and time.
    .target(
      name: "Crowd",
      dependencies: [
        "Beacons", "MQTT", "Messages", "Pipeline", "Settings",
        .product(name: "DequeModule", package: "swift-collections"),
      ],
      swiftSettings: house),
    .target(
      name: "Outbox",
      dependencies: [
        "CSQLite", "Beacons", "MQTT", "Machine", "Messages", "Pipeline", "Proximity",
        .product(name: "DequeModule", package: "swift-collections"),
      ],
      swiftSettings: house),
    // A site of many gateways: decisions from a partition's queue. Pure.
    .target(
      name: "Fleet",
      dependencies: ["Beacons", "CZstd", "JSON", "Messages", "Pipeline", "Scanners", "Settings"],
      swiftSettings: house),
    // HTTP. Only this module uses NIO. It does not depend on beacons.
    .target(
      name: "HTTP",
      dependencies: [
        "CTLS", "JSON", "Settings",
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      swiftSettings: hostile),
    .target(name: "CDashboardPage"),
    // The build's commit.
    .target(name: "CBuild"),
    // The API's content as JSON: a function of its input.
    .target(
      name: "Dashboard",
      dependencies: [
        "CDashboardPage", "Beacons", "JSON", "Messages", "Pipeline", "Proximity", "RangingPolicy", "Settings",
      ],
      exclude: ["Page"],
      swiftSettings: house),
    .systemLibrary(name: "CCapabilities"),
    .systemLibrary(name: "CMalloc"),
    .target(
      name: "Gateway",
      dependencies: [
        "AMQP", "CBuild", "CCrypto", "CMalloc", "Beacons", "Captures", "Dashboard", "HTTP", "Fleet",
        "Settings",
        "SettingsFile", "JSON",
        "MQTT", "Machine",
        "Messages",
        "Mosquitto", "Outbox", "Pipeline", "Proximity", "Radio", "RangingPolicy", "Scanners", "Setup",
        "WakePlanner",
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      swiftSettings: house),
    .executableTarget(
      name: "beaconkeeper",
      dependencies: [
        "BeaconKeys", "Beacons", "Captures", "Crowd", "HTTP", "Fleet", "Gateway", "Settings", "SettingsFile",
        "JSON",
        "MQTT", "Machine",
        "Messages",
        "Mosquitto", "Outbox", "Pages", "Pipeline", "PolicyReport", "Proximity", "Radio", "RangingPolicy",
        "RoomReport", "Setup",
        "WakePlanner",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: house),

    // The benchmark program of deploy/bench; not shipped.
    .executableTarget(
      name: "bench",
      dependencies: [
        "Beacons", "Gateway", "JSON", "MQTT", "Machine", "Messages", "Mosquitto", "Pipeline", "Proximity",
        "Radio", "RangingPolicy", "Settings", "SettingsFile",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/Benchmarks/bench", swiftSettings: house),
    .target(name: "Brokers", path: "Tests/Brokers", swiftSettings: house),
    .target(name: "EventBytes", path: "Tests/EventBytes", swiftSettings: house),
    .target(name: "MessageSchemas", path: "Tests/MessageSchemas", swiftSettings: house),
    .target(name: "PageReading", path: "Tests/PageReading", swiftSettings: house),
    .target(name: "Randomness", path: "Tests/Randomness", swiftSettings: house),
    .target(
      name: "Scenes",
      dependencies: [
        "Beacons", "MessageSchemas", "Messages", "Pipeline", "Proximity", "Settings", "SettingsFile",
      ],
      path: "Tests/Scenes", swiftSettings: house),
    .testTarget(
      name: "PipelineTests",
      dependencies: [
        "Beacons", "JSON", "MQTT", "MessageSchemas", "Messages", "Outbox", "Pipeline", "Proximity",
        "Randomness",
        "RangingPolicy", "Scanners", "Scenes", "Settings", "SettingsFile",
      ],
      swiftSettings: house),
    .testTarget(
      name: "FleetTests",
      dependencies: [
        "Beacons", "Fleet", "Gateway", "Machine", "Messages", "Randomness", "Settings", "SettingsFile",
      ],
      swiftSettings: house),
    .testTarget(
      name: "OutboxTests",
      dependencies: [
        "RangingPolicy",
        "Beacons", "CSQLite", "MQTT", "Messages", "Outbox", "Pipeline", "Proximity", "Randomness",
        "Scenes",
      ],
      swiftSettings: house),
    .testTarget(
      name: "CapturesTests", dependencies: ["Machine", "Beacons", "Captures", "EventBytes", "Randomness"],
      swiftSettings: house),
    .testTarget(
      name: "RadioTests",
      dependencies: ["Beacons", "Brokers", "EventBytes", "Machine", "Radio", "Randomness"],
      swiftSettings: house),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "Beacons", "Brokers", "Gateway", "MessageSchemas", "Machine", "PageReading", "Proximity",
        "Randomness", "Setup", "beaconkeeper", "bench",
      ],
      swiftSettings: house),
    .testTarget(
      name: "BeaconsTests", dependencies: ["Beacons", "BeaconKeys", "Randomness"], swiftSettings: house),
    .testTarget(
      name: "ConformanceTests", dependencies: ["Beacons", "BeaconKeys", "JSON", "Messages"],
      exclude: ["Vectors"],
      swiftSettings: house),
    .testTarget(
      name: "GatewayTests",
      dependencies: [
        "Beacons", "Captures", "Dashboard", "HTTP", "Gateway", "JSON", "Settings", "SettingsFile",
        "Machine",
        "MQTT", "Messages",
        "Mosquitto", "Outbox", "Pipeline", "Proximity", "Radio", "Randomness", "RangingPolicy", "Scanners",
        "Scenes", "WakePlanner",
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: house),
    .testTarget(
      name: "SettingsFileTests",
      dependencies: [
        "Beacons", "MessageSchemas", "Messages", "Proximity", "Randomness", "RangingPolicy", "Scanners",
        "Settings",
        "SettingsFile",
        "WakePlanner",
      ],
      swiftSettings: house),
    .testTarget(
      name: "SetupTests",
      dependencies: ["Beacons", "Proximity", "Randomness", "Settings", "SettingsFile", "Setup"],
      swiftSettings: house),
    .testTarget(
      name: "ScannersTests",
      dependencies: ["Beacons", "Messages", "Randomness", "Scanners", "Settings", "SettingsFile"],
      swiftSettings: house),
    .testTarget(
      name: "CrowdTests",
      dependencies: [
        "Beacons", "Crowd", "MQTT", "Messages", "Pipeline", "Proximity", "Scanners", "Settings",
        "SettingsFile",
      ],
      swiftSettings: house),
    .testTarget(
      name: "DashboardTests",
      dependencies: [
        "Beacons", "Captures", "Dashboard", "JSON", "MessageSchemas", "Messages", "Pipeline", "Proximity",
        "Randomness", "RangingPolicy", "Scenes", "Settings", "SettingsFile",
      ],
      swiftSettings: house),
    .testTarget(
      name: "HTTPTests", dependencies: ["Brokers", "HTTP", "Settings"], swiftSettings: house),
    .testTarget(name: "JSONTests", dependencies: ["Beacons", "JSON", "Randomness"], swiftSettings: house),
    .testTarget(
      name: "MessagesTests",
      dependencies: [
        "Beacons", "JSON", "MQTT", "MessageSchemas", "Messages", "Proximity", "Randomness", "RangingPolicy",
      ],
      swiftSettings: house),
    .testTarget(
      name: "MosquittoTests", dependencies: ["Brokers", "CMosquitto", "MQTT", "Mosquitto", "Randomness"],
      swiftSettings: house),
    .testTarget(
      name: "ProximityTests", dependencies: ["Beacons", "Proximity", "Randomness"], swiftSettings: house),
    .testTarget(
      name: "PolicyReportTests",
      dependencies: ["CCrypto", "PageReading", "Pages", "PolicyReport", "RangingPolicy", "WakePlanner"],
      swiftSettings: house),
    .testTarget(
      name: "RoomReportTests", dependencies: ["Beacons", "PageReading", "Proximity", "RoomReport"],
      swiftSettings: house),
    .testTarget(
      name: "RangingPolicyTests", dependencies: ["Randomness", "RangingPolicy"], exclude: ["rules.txt"],
      swiftSettings: house),
    .testTarget(
      name: "WakePlannerTests", dependencies: ["Randomness", "RangingPolicy", "WakePlanner"],
      swiftSettings: house),
  ]
)
