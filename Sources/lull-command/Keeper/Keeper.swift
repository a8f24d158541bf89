import LullChannel
import LullSystem
import LullWire

/// The keeper of a detached program: the parent of its command, the owner of its input, its output and its
/// log, and the place where others join it. One epoll set, in which it sleeps as long as nothing happens.
final class Keeper {
  enum Source {
    case command, output, input, listener
    case client(KeeperClient)
    case stream(KeeperClient)
  }

  /// The time that slow clients have for the last output, in nanoseconds.
  private static let patience: Int64 = 1_000_000_000

  let reactor: Reactor<Source>
  let log: ProgramLog
  let listener: KeeperListener?
  var streams: KeeperStreams
  var clients: [KeeperClient] = []
  var untaken: ArraySlice<UInt8> = []
  var inputRegistration: Slot?
  var outputRegistration: Slot?
  /// False once the program has closed its input.
  var takesInput: Bool
  let name: String
  let pid: Int32
  var session: RunSession
  /// The number of the daemon that was told that somebody types; nil while nobody does.
  private var attendedUnder: Int?
  /// True while the program is in the foreground for whoever types.
  private var isBroughtForward = false
  /// Nil while the program runs.
  private(set) var status: ExitStatus?
  private var buffer = ReceiveBuffer(capacity: 1 << 14)

  init(
    _ session: consuming RunSession, streams: KeeperStreams, log: ProgramLog, listener: KeeperListener?
  ) throws(SystemError) {
    reactor = try Reactor(capacity: 8)
    _ = try reactor.add(session.reactor.raw, .readable, as: .command)
    outputRegistration = try reactor.add(streams.output.raw, .readable, as: .output)
    if let listener { _ = try reactor.add(listener.socket.raw, .readable, as: .listener) }
    takesInput = streams.input != nil
    (name, pid) = (session.name, session.child.pid)
    (self.streams, self.log, self.listener) = (streams, log, listener)
    // Others may have the pipe's end for the program, but not its parent: its end would not be seen.
    if !streams.isTerminal { self.streams.closeProgramEnds() }
    self.session = session
  }

  /// Goes on until the program has ended and its output has been handed on.
  func run() throws -> ExitStatus {
    while true {
      if let status, outputRegistration == nil {
        finish(status)
        return status
      }
      try reactor.wait()
      for place in reactor.events {
        guard let event = reactor[place] else { continue }
        switch event.source {
        case .command:
          guard let ended = try session.takeTurn() else { continue }
          status = ended
          reactor.remove(event.registration)
          // From here on the output has an end.
          streams.closeProgramEnds()
        case .output: takeOutput()
        case .input: break
        case .listener: accept()
        case .client(let client): hear(client, event.readiness)
        case .stream(let client): serve(client, event.readiness)
        }
      }
      giveInput()
      for client in clients {
        if client.hasLeft, !takesInput {
          drop(client, nil)
        } else {
          client.update(reactor, takesInput: takesInput && untaken.isEmpty)
        }
      }
      attend()
    }
  }

  /// A program at whose terminal somebody types is in the foreground until the last of them has left: it must
  /// not sleep between a key and what that key has begun.
  private func attend() {
    let isAttended = session.isManaged && clients.contains { $0.hasTyped && !$0.hasLeft }
    guard status == nil, (isAttended ? session.daemons : nil) != attendedUnder else { return }
    if !isAttended {
      if isBroughtForward { session.pass(.background(name: name)) }
      isBroughtForward = false
    } else if !session.isInForeground() {
      session.pass(.foreground(name: name))
      isBroughtForward = true
    }
    attendedUnder = isAttended ? session.daemons : nil
  }

  private func takeOutput() {
    let outcome = (try? streams.read(into: &buffer)) ?? .endOfStream
    switch outcome {
    case .wouldBlock: return
    case .endOfStream:
      if let outputRegistration { reactor.remove(outputRegistration) }
      outputRegistration = nil
      if streams.isTerminal { (takesInput, inputRegistration) = (false, nil) }
    case .bytes:
      log.append(buffer.received)
      for client in clients where !client.send(buffer.received) { drop(client, "it took too little output") }
    }
  }

  /// Tells all the end, each behind the last output; one that takes too little hears only that.
  private func finish(_ status: ExitStatus) {
    listener?.close()
    let deadline = Clock.boottime() + Self.patience
    while Clock.boottime() < deadline {
      for client in clients where client.finish(status) { drop(client, nil) }
      guard !clients.isEmpty else { return }
      var entries = clients.flatMap(\.stalled)
      _ = try? Socket.pollMany(&entries, timeoutMilliseconds: 50)
    }
    for client in clients {
      drop(client, "\(name) has ended (\(status.words)), but its last output was not taken in time")
    }
  }
}
