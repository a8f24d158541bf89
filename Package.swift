// swift-tools-version: 6.3

import PackageDescription

let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
let cSettings: [CSetting] = [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")]

/// A library target; `uses` lists the modules that it may import, which is the downward arrow of ARCHITECTURE.md.
func library(_ name: String, uses: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: uses, swiftSettings: settings)
}

func executable(_ name: String, uses: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: uses, swiftSettings: settings)
}

func tests(_ name: String, uses: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: uses, swiftSettings: settings)
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
  name: "lull",
  products: [
    .library(name: "Lull", targets: ["Lull"]),
    .library(name: "LullEngine", targets: ["LullEngine"]),
    .executable(name: "lulld", targets: ["lulld"]),
    .executable(name: "lull-guard", targets: ["lull-guard"]),
    .executable(name: "lull", targets: ["lull-command"]),
    .executable(name: "lull-phone", targets: ["lull-phone"]),
  ],
  dependencies: [.package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")],
  targets: [
    library("LullEngine"),
    library("LullWire"),
    .target(name: "CLinux", cSettings: cSettings),
    library("LullSystem", uses: ["CLinux"]),
    library("LullDaemon", uses: ["LullEngine", "LullWire", "LullSystem"]),
    library("Lull", uses: ["LullEngine", "LullWire", "LullSystem"]),
    executable("lulld", uses: ["LullDaemon", "LullSystem"]),
    executable("lull-guard", uses: ["LullDaemon", "LullSystem"]),
    executable("lull-command", uses: ["LullWire", "LullSystem", argumentParser]),
    executable("lull-phone", uses: ["Lull", "LullWire", "LullSystem", argumentParser]),
    .target(name: "CPuppet", path: "Tests/Support/CPuppet", cSettings: cSettings),
    .executableTarget(
      name: "puppet", dependencies: ["CPuppet", "LullWire", "LullSystem"], path: "Tests/Support/puppet",
      swiftSettings: settings),
    .executableTarget(name: "sleeper", path: "Tests/Support/sleeper", cSettings: cSettings),
    .executableTarget(
      name: "softphone-example", dependencies: ["Lull"], path: "Examples/Softphone", swiftSettings: settings),
    tests("LullEngineTests", uses: ["LullEngine"]),
    tests("LullSimulationTests", uses: ["LullEngine"]),
    tests("LullWireTests", uses: ["LullWire"]),
    tests("LullSystemTests", uses: ["LullSystem", "CLinux", "sleeper"]),
    tests("LullDaemonTests", uses: ["LullDaemon", "LullEngine", "LullWire", "LullSystem"]),
    tests("LullTests", uses: ["Lull", "LullEngine", "LullWire", "LullSystem"]),
    tests("LullPhoneTests", uses: ["lull-phone", "LullWire", "LullSystem"]),
    tests("LullCommandTests", uses: ["lull-command", "LullWire", "LullSystem"]),
    tests("ArchitectureTests", uses: ["LullSystem"]),
    tests(
      "EndToEndTests",
      uses: [
        "LullWire", "LullSystem", "lulld", "lull-guard", "lull-command", "lull-phone", "puppet", "CPuppet",
      ]),
  ],
  swiftLanguageModes: [.v6]
)
