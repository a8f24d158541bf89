// swift-tools-version: 6.3

// The examples as a package of their own: what a client of Lull writes. `swift run --package-path Examples
// softphone` starts one.
import PackageDescription

func example(_ name: String, path: String) -> Target {
  .executableTarget(name: name, dependencies: [.product(name: "Lull", package: "lull")], path: path)
}

let package = Package(
  name: "examples",
  dependencies: [.package(name: "lull", path: "..")],
  targets: [
    example("softphone", path: "Softphone"),
    example("main-actor", path: "MainActor"),
    example("own-loop", path: "OwnLoop"),
  ]
)
