// swift-tools-version: 6.3

import PackageDescription

let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "lull-benchmarks",
  dependencies: [.package(name: "lull", path: "../..")],
  targets: [
    .executableTarget(
      name: "lull-bench-engine", dependencies: [.product(name: "LullEngine", package: "lull")],
      swiftSettings: settings),
    .executableTarget(
      name: "lull-bench-client", dependencies: [.product(name: "Lull", package: "lull")],
      swiftSettings: settings),
    .systemLibrary(name: "CEbur128"),
    .executableTarget(
      name: "lull-bench-meter", dependencies: [.product(name: "LullAudio", package: "lull"), "CEbur128"],
      swiftSettings: settings),
    .target(name: "COpusFloor", linkerSettings: [.linkedLibrary("opus"), .linkedLibrary("m")]),
    .executableTarget(
      name: "lull-bench-opus", dependencies: ["COpusFloor", .product(name: "LullMedia", package: "lull")],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
