import LullSystem
import LullWire
import TestSupport
import Testing

/// A program that does what the test says; its words are described at the head of Tests/Support/puppet.
final class Puppet {
  let name: String
  let child: ConnectedChild
  private let lull: Lull
  private var waiting: [Message] = []
  /// The test's ends of its connections, which stay open although the test does not read them.
  private var peers: [Channel] = []
  /// The line that `sleeping` declared.
  private var descriptor: Int32?
  /// Told every message of the daemon that the program shows.
  var ear: ((Message) -> Void)?

  /// Starts the program, which is not registered yet.
  init(_ lull: Lull, name: String, prefix: [String] = [], executable: String? = nil) throws {
    self.name = name
    self.lull = lull
    child = try ConnectedChild(prefix + [executable ?? Built.helper("puppet")], environment: lull.environment)
  }

  /// A program that is registered, answers every notice by itself and has been launched.
  static func registered(
    _ lull: Lull, name: String = "puppet", modes: String = "voip", launch: String = "background",
    more: String = ""
  ) throws -> Puppet {
    let puppet = try Puppet(lull, name: name)
    try puppet.order("auto")
    try puppet.connect()
    try puppet.ask("register name=\(name) modes=\(modes) launch=\(launch) \(more)")
    return puppet
  }

  /// A program in the background that a task keeps awake, since in its sleep it could not ask. `rest` lets it
  /// sleep.
  static func awake(_ lull: Lull, name: String = "puppet") throws -> Puppet {
    let puppet = try Puppet(lull, name: name)
    try puppet.connect()
    try puppet.ask("register name=\(name) modes=voip resume=background")
    try puppet.ask("begin-task name=test")
    try puppet.order("auto")
    return puppet
  }

  /// Ends the wake and the task of `awake`.
  func rest() throws {
    let ticket = try #require(try notice(.wake)["ticket"])
    try ask("done ticket=\(ticket)")
    try ask("end-task task=1")
  }

  /// A program that has a connection to a server of the test, sleeps, and wakes when the server sends.
  static func sleeping(
    _ lull: Lull, _ journal: Journal, name: String = "puppet", more: String = "", hold: String = ""
  ) throws -> (puppet: Puppet, peer: Channel) {
    let puppet = try Puppet(lull, name: name)
    try puppet.connect()
    try puppet.ask("register name=\(name) modes=voip launch=background \(more)")
    let server = try Server()
    let (descriptor, peer) = try puppet.dial(server)
    try puppet.hold(descriptor, hold)
    puppet.descriptor = descriptor
    try puppet.finishLaunching()
    try journal.waitForSleep(of: name)
    return (puppet, peer)
  }

  /// A program that sleeps until its connection brings something, and does not answer its next wake.
  static func manual(_ lull: Lull, _ journal: Journal) throws -> (puppet: Puppet, peer: Channel) {
    let puppet = try Puppet(lull, name: "puppet")
    try puppet.connect()
    try puppet.ask("register name=puppet modes=voip resume=background")
    let (descriptor, peer) = try puppet.dial(Server())
    try puppet.hold(descriptor)
    try puppet.done()
    try journal.waitForSleep(of: "puppet")
    return (puppet, peer)
  }

  /// A program that sleeps by its own `done`, so that pings are answered for it.
  static func atBoundary(
    _ lull: Lull, journal: Journal, server given: Server? = nil,
    setUp: (Puppet, _ line: Int32) throws -> Void = { _, _ in }
  ) throws -> (puppet: Puppet, peer: Channel) {
    let server = try given ?? Server()
    var line: (descriptor: Int32, peer: Channel)?
    let puppet = try resumed(lull) { puppet in
      let dialled = try puppet.dial(server)
      try puppet.hold(dialled.descriptor, "offload=line")
      line = dialled
      try setUp(puppet, dialled.descriptor)
    }
    let peer = try #require(line).peer
    try journal.waitForSleep(of: "puppet")
    return (puppet, peer)
  }

  /// A program that came back to a restarted daemon: it gets no launch messages and so has no limits to keep.
  /// After `setUp` it answers every notice by itself and is done with its first wake.
  static func resumed(
    _ lull: Lull, name: String = "puppet", setUp: (Puppet) throws -> Void = { _ in }
  ) throws -> Puppet {
    let puppet = try Puppet(lull, name: name)
    try puppet.connect()
    try puppet.ask("register name=\(name) modes=voip resume=background")
    try setUp(puppet)
    let ticket = try puppet.notice(.wake).unsigned(.ticket)
    try puppet.order("auto")
    try puppet.last("done ticket=\(ticket)")
    return puppet
  }

  /// Registers again with a daemon that was restarted, declares its lines again and falls asleep.
  func comeBack(_ setUp: (Puppet) throws -> Void = { _ in }) throws {
    waiting.removeAll { $0.notice != nil }
    try order("manual")
    try connect()
    try ask("register name=\(name) modes=voip resume=background")
    if let descriptor { try hold(descriptor) }
    try setUp(self)
    let ticket = try notice(.wake).unsigned(.ticket)
    try order("auto")
    try last("done ticket=\(ticket)")
  }

  var pid: Int32 { child.pid }

  func send(_ line: String) throws { try child.output.send(line + "\n") }

  func order(_ text: String) throws { try send("!\(text)") }

  /// Waits for a message of the program; messages that come before are kept for later.
  func wait(_ what: String, where fits: (Message) -> Bool) throws -> Message {
    if let index = waiting.firstIndex(where: fits) { return waiting.remove(at: index) }
    while true {
      let message = try Message.parse(nextLine(what))
      try #require(message.verb != "failed", "\(name) failed while \(what) was waited for: \(message)")
      ear?(message)
      if fits(message) { return message }
      waiting.append(message)
    }
  }

  /// Adds to a failure what the daemon did last.
  private func nextLine(_ wanted: String) throws -> String {
    do {
      return try child.output.line()
    } catch {
      let log = (try? lull.run("log", "--last", "20").output) ?? ""
      throw NothingCame(description: "\(name) did not tell \(wanted): \(error)\n\(log)")
    }
  }

  func told(_ verb: String) throws -> Message { try wait(verb) { $0.verb == verb } }

  func notice(_ notice: Notice) throws -> Message { try wait("\(notice)") { $0.notice == notice } }

  /// Sends the daemon a request that must be granted.
  @discardableResult
  func ask(_ request: String) throws -> Message {
    let reply = try reply(to: request)
    try #require(reply.answer == .ok, "\(name): \(request): \(reply)")
    return reply
  }

  func reply(to request: String) throws -> Message {
    try send(request)
    return try reply()
  }

  func reply() throws -> Message {
    try wait("a reply") { $0.answer == .ok || $0.answer == .error }
  }

  func connect() throws {
    try order("daemon")
    _ = try told("connected")
  }

  /// Sends the daemon a request after which the program may be asleep before it has read the reply.
  func last(_ request: String) throws { try order("quiet text=\"\(request)\"") }

  /// Says that the last wake is handled.
  func done() throws { try last("done ticket=\(notice(.wake).unsigned(.ticket))") }

  /// Answers the messages of a background launch for the program, which answers everything by itself from
  /// then on.
  func finishLaunching() throws {
    try order("auto")
    try did()
  }

  func did() throws { try last("did ticket=\(notice(.deliver).unsigned(.ticket))") }

  /// Opens a connection to a server.
  func dial(_ server: Server) throws -> (descriptor: Int32, peer: Channel) {
    try order("connect port=\(server.port)")
    let peer = try server.accept()
    peers.append(peer)
    return (Int32(try told("opened").integer(.fd)), peer)
  }

  /// Declares a line; returns its id.
  @discardableResult
  func hold(_ descriptor: Int32, _ more: String = "") throws -> String {
    let reply = try hand(descriptor, "hold fd=\(descriptor) \(more)")
    try #require(reply.answer == .ok, "\(name): hold: \(reply)")
    return try reply.string(.line)
  }

  func hand(_ descriptor: Int32, _ line: String) throws -> Message {
    try order("with fd=\(descriptor) text=\"\(line)\"")
    return try reply()
  }

  /// Sends a line with quotes, and a descriptor.
  func hand(_ descriptor: Int32, escaped line: String) throws {
    let order = Message("with").adding(Field("fd", "\(descriptor)")).adding(Field("text", line))
    try self.order(String(decoding: order.encoded().dropLast(), as: UTF8.self))
  }

  /// The next bytes that its connection brought.
  func bytes() throws -> String { try told("bytes")["text"] ?? "" }
}
