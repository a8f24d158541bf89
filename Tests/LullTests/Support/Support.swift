import LullEngine
import LullSystem
import TestSupport
import Testing

@testable import Lull

/// Records the messages that it gets, and runs a test's handlers.
final class Recorder: ApplicationDelegate {
  var events: [String] = []
  var on: [String: (Application) -> Void] = [:]
  var tokens: [NotificationToken] = []
  var fetches: [FetchCompletion] = []
  /// The options of the launches that were told.
  var launches: [LaunchOptions] = []

  func note(_ event: String, _ application: Application) {
    events.append(event)
    on[event]?(application)
  }

  func application(_ application: Application, willFinishLaunchingWith options: LaunchOptions) {
    launches.append(options)
    note("willFinishLaunching \(application.applicationState)", application)
  }
  func application(_ application: Application, didFinishLaunchingWith options: LaunchOptions) {
    launches.append(options)
    note("didFinishLaunching", application)
  }
  func applicationDidBecomeActive(_ application: Application) {
    note("didBecomeActive \(application.applicationState)", application)
  }
  func applicationWillResignActive(_ application: Application) {
    note("willResignActive \(application.applicationState)", application)
  }
  func applicationDidEnterBackground(_ application: Application) {
    note("didEnterBackground \(application.applicationState)", application)
  }
  func applicationWillEnterForeground(_ application: Application) {
    note("willEnterForeground \(application.applicationState)", application)
  }
  func application(_ application: Application, surroundingsDidChange changes: SurroundingChanges) {
    note("changed \(changes.words.joined(separator: ","))", application)
  }
  func applicationProtectedDataWillBecomeUnavailable(_ application: Application) {
    note("closes \(application.applicationState)", application)
  }
  func applicationProtectedDataDidBecomeAvailable(_ application: Application) {
    note("opens \(application.applicationState)", application)
  }
  func applicationWillTerminate(_ application: Application) {
    note("willTerminate", application)
  }
  func applicationDidWake(_ application: Application, reason: WakeReason) {
    note("didWake \(reason)", application)
  }
  func application(_ application: Application, performFetch completion: FetchCompletion) {
    fetches.append(completion)
    note("performFetch", application)
  }
  func application(_ application: Application, didReceive notification: LocalNotification) {
    note("didReceive \(notification.body)", application)
  }
  func application(_ application: Application, didChoose action: String, for token: NotificationToken) {
    tokens.append(token)
    note("didChoose \(action)\(application.activationToken.map { " (\($0))" } ?? "")", application)
  }
  func application(_ application: Application, didLose line: Line, error: LullError) {
    note("didLose \(error)", application)
  }
  func application(_ application: Application, show content: LocalNotification, as token: NotificationToken) {
    tokens.append(token)
    note("show \(content.body)", application)
  }
}

/// A clock that stands still until a test moves it. It begins at the kernel's time, whose timer the loop
/// arms.
final class ManualClock {
  private(set) var now = Moment(nanoseconds: LullSystem.Clock.boottime())

  func advance(_ seconds: Double) {
    now = now + Interval(clampingSeconds: seconds)
  }
}

/// An application that supervises itself on a clock of the test.
struct Embedded {
  let clock = ManualClock()
  let recorder = Recorder()
  let application: Application

  init(
    modes: Modes = [.voip, .externalAccessory], launch: LaunchTarget = .background,
    exitsOnSuspend: Bool = false
  ) throws {
    var registration = Registration(name: "phone", modes: modes)
    registration.launch = launch
    registration.settings.exitsOnSuspend = exitsOnSuspend
    let clock = clock
    var setup = ApplicationSetup()
    setup.clock = { clock.now }
    // A clock that went without it would be a change of the time.
    let offset = LullSystem.Clock.realtime() - clock.now.nanoseconds
    setup.wallClock = { clock.now.nanoseconds + offset }
    application = try Application(
      registration, host: .embedded, setup: setup, delegate: recorder)
  }

  /// Lets the loop run until it has no work.
  func settle() throws {
    repeat {
      application.dispatch()
    } while try Socket.poll(
      application.fileDescriptor, .readable, timeoutMilliseconds: 0) != []
  }

  /// Lets the loop run until the condition holds.
  func until(_ comment: Comment? = nil, _ condition: () -> Bool) throws {
    try application.runs(until: condition, comment)
  }

  func advance(_ seconds: Double) throws {
    clock.advance(seconds)
    try settle()
  }

  /// An application that is launched, connected to a server of the test, and asleep.
  func asleep(_ server: borrowing Server) throws -> Peer {
    let stream = try VoIPStream(host: "127.0.0.1", port: server.port, application: application) {
      [recorder] stream, event in
      recorder.note("\(event)", stream.owner)
      if event == .hasBytesAvailable {
        recorder.events.append(String(decoding: stream.read(), as: UTF8.self))
      }
      stream.owner.finishedHandlingWake()
    }
    let peer = try server.accept()
    try until { application.applicationState == .suspended }
    recorder.events.removeAll()
    return Peer(stream: stream, descriptor: peer)
  }

  struct Peer {
    let stream: VoIPStream
    let descriptor: DescriptorBox

    func send(_ text: String) throws {
      let bytes = Array(text.utf8)
      #expect(try Socket.write(descriptor.raw, bytes) == .sent(bytes.count))
    }
  }
}

extension Application {
  /// Lets the loop run until the condition holds; `others` are descriptors that may change it, too.
  func runs(until condition: () -> Bool, _ comment: Comment? = nil, others: [Int32] = []) throws {
    let deadline = Deadline()
    while true {
      dispatch()
      if condition() { return }
      try #require(!deadline.isOver, comment ?? "the condition did not come true")
      var entries = ([fileDescriptor] + others).map { PollEntry($0, .readable) }
      try Socket.pollMany(&entries, timeoutMilliseconds: 1000)
    }
  }
}

extension VoIPStream {
  /// The application, which a stream of a test does not outlive.
  var owner: Application {
    guard let application else { preconditionFailure("the application is gone") }
    return application
  }
}

/// A listening TCP socket on 127.0.0.1.
struct Server: ~Copyable {
  let listener: Descriptor
  let port: UInt16

  init() throws {
    let socket = try Socket.listen(.loopback())
    port = try Socket.localAddress(socket.raw).port ?? 0
    listener = socket
  }

  func accept() throws -> DescriptorBox {
    try ready(listener.raw, .readable)
    guard let connection = try Socket.accept(from: listener.raw) else {
      throw LullError.refused("no connection")
    }
    return DescriptorBox(connection)
  }
}

/// Reads the bytes that come, up to a number of bytes.
func read(_ descriptor: DescriptorBox, count: Int) throws -> [UInt8] {
  var bytes: [UInt8] = []
  var buffer = ReceiveBuffer(capacity: 65_536)
  while bytes.count < count {
    try ready(descriptor.raw, .readable)
    switch try Socket.read(descriptor.raw, into: &buffer) {
    case .bytes: bytes += buffer.received
    case .wouldBlock: continue
    case .endOfStream: return bytes
    }
  }
  return bytes
}
