import LullSystem
import LullWire
import TestSupport
import Testing

/// The daemon of a play, with everything around it.
final class Scene {
  let lull: Lull
  let network: Network
  /// Nil for a daemon of another user, which refuses the test, and for one with few descriptors.
  let journal: Journal?
  private let nobody: Nobody?
  private let sink: Sink?
  private let swap: TestSwap?
  private var headset: ConnectedChild?

  /// `words`: `rate=N` runs the daemon's clock faster, `files=N` bounds its descriptors, `signal` gives it no
  /// cgroup, `nobody` a uid without rights, `sound` a device and a headset,
  /// `nodevice` none, `swap` a place for the memory of sleepers.
  init(_ words: [String]) throws {
    let rate = words.first { $0.hasPrefix("rate=") }.flatMap { Int($0.dropFirst(5)) } ?? 1
    let files = words.first { $0.hasPrefix("files=") }.map { $0.dropFirst(6) }
    let sandbox = try Sandbox()
    network = try Network()
    nobody = words.contains("nobody") ? try Nobody(sandbox, copying: ["lulld", "lull-guard", "lull"]) : nil
    swap = words.contains("swap") ? try TestSwap() : nil
    sink = words.contains("sound") ? try Sink(sandbox, in: network) : nil
    headset = try sink?.plugHeadset()
    var prefix = network.prefix + (nobody?.prefix ?? [])
    if let files { prefix += ["sh", "-c", "ulimit -n \(files); exec \"$@\"", "sh"] }
    lull = try Lull(
      clockRate: rate, cgroupRoot: words.contains("signal") ? "/proc/nonexistent" : nil, sandbox: sandbox,
      prefix: prefix, binaries: nobody?.folder,
      environment: (sink?.environment ?? [])
        + (words.contains("nodevice") ? ["LULL_SOUND_DEVICE=none-such"] : []))
    journal = nobody == nil && files == nil ? try lull.journal() : nil
  }

  func puppet(_ name: String) throws -> Puppet {
    guard let nobody else { return try Puppet(lull, name: name) }
    return try Puppet(lull, name: name, prefix: nobody.prefix, executable: "\(nobody.folder)/puppet")
  }

  /// Starts `lull`, as the daemon's user.
  func start(_ words: [String]) throws -> ConnectedChild {
    if let nobody { return try nobody.start(["lull"] + words, lull) }
    return try ConnectedChild(
      network.prefix + [Built.program("lull")] + words, environment: lull.environment)
  }

  /// The usual device goes away.
  func silence() throws { try sink?.end() }

  /// Plugs the headset in again.
  func plug() throws { headset = try sink?.plugHeadset() }

  /// Pulls the headset out.
  func unplug() throws {
    try headset?.signal(Signal.kill)
    try headset?.end()
  }
}
