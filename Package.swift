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

/// A library target; `uses` lists the modules that it may import: the downward arrow of ARCHITECTURE.md.
func library(_ name: String, uses: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: uses, swiftSettings: settings)
}

func executable(_ name: String, uses: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: uses, swiftSettings: settings)
}

/// A program of `Tools/bench`, which is no product.
func benchmark(_ name: String, uses: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: uses, path: "Tools/Benchmarks/Sources/\(name)", swiftSettings: settings)
}

/// A program of `Examples`, which is no product.
func example(_ name: String, path: String, uses: [Target.Dependency] = ["Lull"]) -> Target {
  .executableTarget(name: name, dependencies: uses, path: "Examples/\(path)", swiftSettings: settings)
}

func tests(_ name: String, uses: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: uses + ["TestSupport"], swiftSettings: settings)
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
  name: "lull",
  products: [
    .library(name: "Lull", targets: ["Lull"]),
    .library(name: "LullAsync", targets: ["LullAsync"]),
    .library(name: "LullEngine", targets: ["LullEngine"]),
    .library(name: "LullLocation", targets: ["LullLocation"]),
    .library(name: "LullMedia", targets: ["LullMedia"]),
    .library(name: "LullPlayer", targets: ["LullPlayer"]),
    .library(name: "LullTransfers", targets: ["LullTransfers"]),
    .library(name: "RemoteControl", targets: ["RemoteControl"]),
    .executable(name: "lulld", targets: ["lulld"]),
    .executable(name: "lull-guard", targets: ["lull-guard"]),
    .executable(name: "lull", targets: ["lull-command"]),
    .executable(name: "lull-phone", targets: ["lull-phone"]),
    .executable(name: "lull-audio", targets: ["lull-audio"]),
    .executable(name: "lull-player", targets: ["lull-player"]),
    .executable(name: "lull-notify", targets: ["lull-notify"]),
    .executable(name: "lull-transfers", targets: ["lull-transfers"]),
  ],
  dependencies: [.package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")],
  targets: [
    library("LullModel"),
    library("LullProgram"),
    library("LullEngine", uses: ["LullModel"]),
    library("LullWire", uses: ["LullModel"]),
    .target(name: "CLinux", cSettings: cSettings),
    .target(name: "CRing", cSettings: cSettings),
    // The client library for C. `Tools/liblull` builds what is installed, with a C compiler alone.
    .target(name: "liblull", exclude: ["liblull.map", "lull.pc.in"], cSettings: cSettings),
    // The ALSA plugin, with liblull in it. Tools/common.sh links the objects, since what SwiftPM links asks
    // for libswiftCore.
    .target(
      name: "PcmLull", dependencies: ["CRing", "liblull"], exclude: ["50-lull.conf", "pcm_lull.map"],
      publicHeadersPath: ".",
      cSettings: cSettings + [.define("PIC")]),
    // Without `pkgConfig`: SwiftPM looks for the packages of all of them, and warns, also in the build of a
    // client that uses none. Each shim.h says which package is missing.
    .systemLibrary(name: "CAlsa"),
    .target(name: "CPulse", cSettings: cSettings, linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "CFaad", cSettings: cSettings, linkerSettings: [.linkedLibrary("dl")]),
    .systemLibrary(name: "COpus"),
    .systemLibrary(name: "CSpeexDSP"),
    .systemLibrary(name: "CSndfile"),
    .systemLibrary(name: "CMpg123"),
    .systemLibrary(name: "CVorbis"),
    .systemLibrary(name: "CFlac"),
    .systemLibrary(name: "CCurl"),
    .systemLibrary(name: "CSystemd"),
    library("LullSystem", uses: ["LullModel", "CLinux"]),
    library("LullInspect", uses: ["LullModel", "LullSystem"]),
    library("LullRing", uses: ["LullModel", "LullSystem", "CRing"]),
    library("LullChannel", uses: ["LullModel", "LullWire", "LullSystem"]),
    library(
      "LullAudio",
      uses: ["LullModel", "LullEngine", "LullRing", "LullSystem", "CAlsa", "CPulse", "CSpeexDSP"]),
    library("LullMedia", uses: ["COpus", "CSpeexDSP"]),
    library(
      "LullGuard",
      uses: ["LullProgram", "LullModel", "LullEngine", "LullWire", "LullChannel", "LullSystem"]),
    library(
      "LullDaemon",
      uses: [
        "LullProgram", "LullModel", "LullEngine", "LullWire", "LullChannel", "LullInspect", "LullRing",
        "LullSystem", "LullGuard",
      ]),
    library(
      "Lull",
      uses: [
        "LullModel", "LullEngine", "LullWire", "LullChannel", "LullInspect", "LullRing", "LullSystem",
      ]),
    library("LullAsync", uses: ["Lull"]),
    library(
      "LullPlayer",
      uses: [
        "LullModel",
        "Lull", "LullWire", "LullRing", "LullSystem", "CSndfile", "CMpg123", "CVorbis", "COpus", "CFlac",
        "CFaad", "CCurl",
      ]),
    library("LullTransfers", uses: ["LullWire", "LullChannel", "LullSystem"]),
    library("LullBus", uses: ["LullSystem", "CSystemd"]),
    library("RemoteControl", uses: ["Lull", "LullBus", "LullSystem", "CSystemd"]),
    library("LullLocation", uses: ["Lull", "LullBus", "LullSystem"]),
    library("LullNotify", uses: ["LullModel", "LullWire", "LullChannel", "LullSystem", "LullBus"]),
    executable("lulld", uses: ["LullDaemon", "LullGuard", "LullSystem"]),
    executable("lull-guard", uses: ["LullGuard", "LullSystem"]),
    executable(
      "lull-command",
      uses: [
        "LullProgram", "LullModel", "LullTransfers", "LullWire", "LullChannel", "LullSystem", argumentParser,
      ]),
    executable(
      "lull-audio",
      uses: [
        "LullProgram", "LullModel", "LullAudio", "LullEngine", "LullWire", "LullChannel", "LullRing",
        "LullSystem",
      ]),
    executable(
      "lull-phone",
      uses: [
        "LullProgram", "LullModel", "Lull", "LullMedia", "LullWire", "LullSystem", "CSpeexDSP", "CSndfile",
        argumentParser,
      ]),
    executable(
      "lull-player",
      uses: [
        "LullProgram", "LullModel", "LullPlayer", "RemoteControl", "Lull", "LullWire", "LullChannel",
        "LullSystem",
        argumentParser,
      ]),
    executable(
      "lull-notify", uses: ["LullProgram", "LullNotify", "LullWire", "LullChannel", "LullSystem"]),
    executable(
      "lull-transfers",
      uses: [
        "LullProgram", "LullTransfers", "LullWire", "LullChannel", "LullInspect", "LullSystem", "LullBus",
        "CCurl",
      ]),
    .target(name: "CPuppet", path: "Tests/Support/CPuppet", cSettings: cSettings),
    .target(
      name: "CClientProbe", dependencies: ["liblull"], path: "Tests/Support/CClientProbe",
      cSettings: cSettings),
    .executableTarget(
      name: "puppet",
      dependencies: ["LullModel", "CPuppet", "LullWire", "LullChannel", "LullInspect", "LullSystem"],
      path: "Tests/Support/puppet", swiftSettings: settings),
    .executableTarget(
      name: "swift-client", dependencies: ["Lull"], path: "Tests/Support/swift-client",
      swiftSettings: settings),
    .executableTarget(name: "sleeper", path: "Tests/Support/sleeper", cSettings: cSettings),
    .executableTarget(
      name: "listener", dependencies: ["CRing"], path: "Tests/Support/listener", cSettings: cSettings),
    .executableTarget(
      name: "alsa-client", path: "Tests/Support/alsa-client", cSettings: cSettings,
      linkerSettings: [.linkedLibrary("asound")]),
    example("softphone-example", path: "Softphone"),
    example("main-actor-example", path: "MainActor"),
    example("own-loop-example", path: "OwnLoop"),
    example("async-example", path: "Async", uses: ["Lull", "LullAsync"]),
    example("location-example", path: "Location", uses: ["Lull", "LullLocation"]),
    example("transfers-example", path: "Transfers", uses: ["Lull", "LullTransfers"]),
    example("player-example", path: "Player", uses: ["Lull", "LullPlayer"]),
    example("fibonacci-example", path: "Fibonacci"),
    .systemLibrary(name: "CEbur128", path: "Tools/Benchmarks/Sources/CEbur128"),
    .target(
      name: "COpusFloor", path: "Tools/Benchmarks/Sources/COpusFloor", cSettings: cSettings,
      linkerSettings: [.linkedLibrary("opus"), .linkedLibrary("m")]),
    benchmark("lull-bench-engine", uses: ["LullModel", "LullEngine"]),
    benchmark("lull-bench-client", uses: ["Lull"]),
    benchmark("lull-bench-meter", uses: ["LullAudio", "LullSystem", "CEbur128"]),
    benchmark("lull-bench-opus", uses: ["COpusFloor", "LullMedia"]),
    .executableTarget(
      name: "audibility-table", dependencies: ["LullModel", "LullAudio", "LullEngine", "Fuzzing"],
      path: "Tests/Support/audibility-table", swiftSettings: settings),
    .target(name: "CAllocations", path: "Tests/Support/CAllocations", cSettings: cSettings),
    .executableTarget(
      name: "render-probe",
      dependencies: ["LullModel", "LullAudio", "LullRing", "LullSystem", "CAllocations"],
      path: "Tests/Support/render-probe", swiftSettings: settings),
    .target(
      name: "Fuzzing", dependencies: ["LullSystem"], path: "Tests/Support/Fuzzing", swiftSettings: settings),
    .target(
      name: "TestSupport", dependencies: ["LullSystem"], path: "Tests/Support/TestSupport",
      swiftSettings: settings),
    tests("LullModelTests", uses: ["LullModel"]),
    tests("LullEngineTests", uses: ["LullModel", "LullEngine", "Fuzzing"]),
    tests("LullSimulationTests", uses: ["LullModel", "LullEngine", "Fuzzing"]),
    tests("LullWireTests", uses: ["LullModel", "LullWire", "Fuzzing"]),
    tests("LullSystemTests", uses: ["LullModel", "LullSystem", "sleeper", "CPuppet"]),
    tests(
      "LullInspectTests",
      uses: ["LullModel", "LullInspect", "LullSystem", "CLinux", "sleeper", "Fuzzing"]),
    tests("LullRingTests", uses: ["LullModel", "LullRing", "LullSystem"]),
    tests("LullChannelTests", uses: ["LullModel", "LullChannel", "LullWire", "LullSystem"]),
    tests(
      "LullGuardTests",
      uses: ["LullModel", "LullGuard", "LullEngine", "LullWire", "LullChannel", "LullSystem"]),
    tests(
      "LullDaemonTests",
      uses: [
        "LullModel", "LullDaemon", "LullGuard", "LullEngine", "LullWire", "LullChannel", "LullInspect",
        "LullSystem", "Fuzzing",
      ]),
    .target(
      name: "CSleepyDevice", path: "Tests/Support/CSleepyDevice", cSettings: cSettings,
      linkerSettings: [.linkedLibrary("asound")]),
    tests(
      "LullAudioTests",
      uses: [
        "LullModel",
        "LullAudio", "LullEngine", "LullWire", "LullRing", "LullSystem", "lull-audio", "audibility-table",
        "render-probe", "Fuzzing", "CSleepyDevice",
      ]),
    tests("PluginTests", uses: ["LullChannel", "LullSystem", "listener", "alsa-client", "Fuzzing"]),
    tests(
      "LullPlayerTests",
      uses: [
        "LullModel",
        "lull-player", "LullPlayer", "RemoteControl", "Lull", "LullWire", "LullChannel", "LullRing",
        "LullSystem", "CSndfile", "Fuzzing",
      ]),
    tests(
      "LullNotifyTests",
      uses: [
        "LullModel", "LullNotify", "LullBus", "LullWire", "LullChannel", "LullSystem", "lull-notify",
      ]),
    tests("LullLocationTests", uses: ["LullLocation", "Lull", "LullBus"]),
    tests("LullProgramTests", uses: ["LullProgram"]),
    tests(
      "LullTransfersTests",
      uses: [
        "LullModel", "LullTransfers", "lull-transfers", "LullWire", "LullChannel", "LullSystem",
      ]),
    tests(
      "LullTests",
      uses: [
        "LullModel", "Lull", "LullAsync", "LullEngine", "LullWire", "LullChannel", "LullRing", "LullSystem",
      ]),
    tests(
      "ClientLibraryTests",
      uses: ["LullModel", "LullWire", "LullSystem", "CClientProbe", "swift-client", "Fuzzing"]),
    tests("LullMediaTests", uses: ["LullMedia", "Fuzzing"]),
    tests(
      "LullPhoneTests",
      uses: ["LullModel", "lull-phone", "LullMedia", "LullWire", "LullChannel", "LullSystem"]),
    tests(
      "LullCommandTests",
      uses: ["LullModel", "lull-command", "LullWire", "LullChannel", "LullSystem", argumentParser]),
    tests("ArchitectureTests", uses: ["LullSystem"]),
    tests(
      "EndToEndTests",
      uses: [
        "LullModel",
        "LullWire", "LullSystem", "lulld", "lull-guard", "lull-audio", "lull-command", "lull-phone",
        "lull-player", "lull-notify", "lull-transfers", "puppet", "softphone-example", "main-actor-example",
        "own-loop-example", "async-example", "location-example", "transfers-example", "player-example",
        "fibonacci-example", "LullTransfers", "CPuppet", "Fuzzing",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// The programs of `Tools/fuzz`: libFuzzer calls what these folders of the tests hold, so the tests themselves
// are left out.
if Context.environment["LULL_FUZZ"] != nil {
  func fuzzer(
    _ name: String, path: String, exclude: [String] = [], sources: [String]? = nil, uses: [Target.Dependency]
  ) -> Target {
    .executableTarget(
      name: name, dependencies: uses + ["Fuzzing"], path: "Tests/\(path)", exclude: exclude, sources: sources,
      swiftSettings: settings + [.define("FUZZING")])
  }
  package.targets.removeAll { $0.isTest }
  package.targets += [
    fuzzer("fuzz-wire", path: "LullWireTests/Fuzz", uses: ["LullModel", "LullWire"]),
    fuzzer(
      "fuzz-engine", path: "LullSimulationTests", exclude: ["Tests"], uses: ["LullModel", "LullEngine"]),
    fuzzer(
      "fuzz-ring", path: "LullAudioTests", sources: ["Fuzz", "Support/FakeSink.swift"],
      uses: ["LullProgram", "LullModel", "LullAudio", "LullEngine", "LullRing", "LullSystem"]),
    fuzzer("fuzz-client", path: "ClientLibraryTests/Fuzz", uses: ["LullWire", "CClientProbe"]),
    fuzzer("fuzz-media", path: "LullMediaTests/Fuzz", uses: ["LullMedia"]),
    fuzzer("fuzz-texts", path: "LullInspectTests/Fuzz", uses: ["LullInspect", "LullSystem"]),
  ]
}

// The random worlds by themselves and with the optimizer: the other tests look inside of modules (@testable),
// which what is shipped does not allow.
if Context.environment["LULL_SIMULATION"] != nil {
  var kept: Set = ["LullSimulationTests"]
  var count = 0
  while kept.count > count {
    count = kept.count
    let uses = package.targets.filter { kept.contains($0.name) }.flatMap(\.dependencies)
    for case .byNameItem(let name, _) in uses { kept.insert(name) }
  }
  package.products.removeAll()
  package.dependencies.removeAll()
  package.targets.removeAll { !kept.contains($0.name) }
}

// What is linked statically, as it is shipped: the toolchain has the testing library only as a shared one,
// and an example may use Foundation, for which the programs have a stand-in.
if Context.environment["LULL_STATIC"] != nil {
  package.targets.removeAll { $0.isTest || $0.name == "TestSupport" || $0.name.hasSuffix("-example") }
}
