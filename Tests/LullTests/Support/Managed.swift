import LullChannel
import LullEngine
import TestSupport
import Testing

@testable import Lull

/// An application and the fake daemon that it has registered with.
final class Managed {
  let daemon: FakeDaemon
  let recorder = Recorder()
  let application: Application

  /// A program with every mode, launched into the background. The first requests are forgotten, unless the
  /// test wants to see them.
  init(
    launch: LaunchTarget = .background, patience: Interval = .seconds(60), launched: Bool = true,
    rule: @escaping FakeDaemon.Rule = { _ in nil }
  ) throws {
    let daemon = try FakeDaemon(rule: rule)
    self.daemon = daemon
    var registration = Registration(name: "phone", modes: [.voip, .externalAccessory])
    registration.launch = launch
    var setup = ApplicationSetup()
    setup.controlSocket = daemon.path
    setup.patience = patience
    setup.startDaemon = { () throws(DaemonLaunchError) in throw .notFound }
    do {
      application = try Application(
        registration, host: .daemon, setup: setup, delegate: recorder)
    } catch {
      daemon.stop()
      throw error
    }
    guard launched else { return }
    try daemon.send(
      "event deliver message=willFinishLaunching ticket=1",
      "event deliver message=didFinishLaunching ticket=2",
      "event deliver message=didEnterBackground ticket=3")
    try until { daemon.requests.last == "did ticket=3" }
    recorder.events.removeAll()
    daemon.forget()
  }

  deinit { daemon.stop() }

  /// Lets the loop run until the condition holds.
  func until(_ comment: Comment? = nil, _ condition: () -> Bool) throws {
    try application.runs(
      until: {
        daemon.drain(); return condition()
      }, comment, others: [daemon.signal])
  }

  /// Lets the loop run until the daemon has got a number of requests since it forgot the last, and returns
  /// them.
  func requests(_ count: Int) throws -> [String] {
    let daemon = daemon
    try until("\(count) requests") { daemon.requests.count >= count }
    return daemon.requests
  }

  /// Breaks the connection and returns the requests to the new daemon.
  func restarted(_ count: Int) throws -> [String] {
    daemon.forget()
    daemon.hangUp()
    return try requests(count)
  }
}
