// swift-tools-version: 6.3

// The examples as a package of their own: what a client of Lull writes. `swift run --package-path Examples
// softphone` starts one.
import PackageDescription

func example(_ name: String, path: String, uses: [Target.Dependency] = []) -> Target {
  .executableTarget(name: name, dependencies: [.product(name: "Lull", package: "lull")] + uses, path: path)
}

let package = Package(
  name: "examples",
  dependencies: [
    .package(name: "lull", path: ".."),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    example("softphone", path: "Softphone"),
    example("main-actor", path: "MainActor"),
    example("own-loop", path: "OwnLoop"),
    example("fibonacci", path: "Fibonacci"),
    example("async", path: "Async", uses: [.product(name: "LullAsync", package: "lull")]),
    example(
      "transfers", path: "Transfers", uses: [.product(name: "LullTransfers", package: "lull")]),
    example(
      "nio", path: "NIO",
      uses: [
        .product(name: "LullAsync", package: "lull"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
      ]),
  ]
)
