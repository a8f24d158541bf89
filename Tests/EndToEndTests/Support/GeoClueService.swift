import LullSystem
import TestSupport
import Testing

/// The GeoClue of the distribution on a system bus of its own, with a receiver that the test plays: a socket
/// with sentences of NMEA 0183.
final class GeoClueService {
  static let program = "/usr/libexec/geoclue"
  private static let agent = "/usr/libexec/geoclue-2.0/demos/agent"

  let address: String
  private let folder: TemporaryDirectory
  private let receiver: LineServer
  private var children: [ConnectedChild] = []

  init() throws {
    folder = try TemporaryDirectory()
    address = "unix:path=\(folder.path)/bus"
    receiver = try LineServer(path: "\(folder.path)/nmea")
    receiver.serve { _ in }
    let off = ["3g", "cdma", "modem-gps", "wifi", "compass"].map { "[\($0)]\nenable=false\n" }.joined()
    let configuration = try folder.file(
      "geoclue.conf",
      "[agent]\nwhitelist=geoclue-demo-agent\n[network-nmea]\nenable=true\n\(off)"
        + "[walker]\nallowed=true\nsystem=false\nusers=\n")
    let bus = try start(
      ["dbus-daemon", "--session", "--nofork", "--nosyslog", "--print-address", "--address=\(address)"])
    _ = try bus.output.line()
    // GeoClue has one place for its configuration, and asks nobody without an agent.
    let mounting = "mount --bind \(configuration) /etc/geoclue/geoclue.conf && exec \"$@\""
    try start(
      ["unshare", "-m", "sh", "-c", mounting, "sh", Self.program, "--nmea-socket", "\(folder.path)/nmea"])
    try eventually("no GeoClue") {
      let status = ["busctl", "--address=\(address)", "status", "org.freedesktop.GeoClue2"]
      return try ConnectedChild(status).end() == .exited(0)
    }
    try start([Self.agent])
  }

  deinit {
    receiver.stop()
    for child in children.reversed() {
      try? child.signal(Signal.kill)
      _ = try? child.end()
    }
  }

  @discardableResult
  private func start(_ words: [String]) throws -> ConnectedChild {
    let child = try ConnectedChild(words, environment: ["DBUS_SYSTEM_BUS_ADDRESS=\(address)"])
    children.append(child)
    return child
  }

  /// GeoClue listens to its receiver, because a client has started.
  func waitForClient() throws { try send("$GPTXT,01,01,02,on*00") }

  private func send(_ sentence: String) throws {
    try eventually("GeoClue does not listen to its receiver") { receiver.send([sentence]) }
  }

  /// The receiver finds a place between 10 and 99 degrees north and east.
  func fix(_ latitude: Double, _ longitude: Double) throws {
    // Degrees and minutes, as `5230.5`.
    func angle(_ degrees: Double) -> String {
      let minutes = (degrees - degrees.rounded(.down)) * 60
      return "\(Int(degrees))\(minutes < 10 ? "0" : "")\(minutes)"
    }
    try send("$GPGGA,,\(angle(latitude)),N,0\(angle(longitude)),E,1,08,0.9,100.0,M,46.9,M,,*00")
  }
}
