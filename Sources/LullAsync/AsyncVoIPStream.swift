public import Lull
internal import Synchronization

/// A `VoIPStream` for tasks: its events are a sequence, and a task that sends waits until the connection
/// has taken the bytes.
///
/// The stream itself lives in the application's loop, and wakes the program as every stream does. This is the
/// end of it that any task may hold, on the main actor or elsewhere:
///
/// ```swift
/// for await event in stream.events {
///   if case .bytesReceived = event { try await stream.send("pong\n") }
///   mailbox.finishedHandlingWake()
/// }
/// ```
///
/// The peer is not read while the last bytes are not taken. The stream is closed when nobody holds it or its
/// events any more.
public final class AsyncVoIPStream: Sendable {
  /// The events of a stream.
  public enum Event: Equatable, Sendable {
    /// The connection is made.
    case openCompleted
    /// Bytes came, at most 65,536.
    case bytesReceived([UInt8])
    /// The connection could not be made, or broke; this is the last event.
    case errorOccurred(LullError)
    /// The peer has finished; this is the last event.
    case endEncountered

    var hasBytes: Bool { if case .bytesReceived = self { true } else { false } }
  }

  /// The events of a stream, each of which is taken once. The sequence ends after the last event, and when
  /// the stream is closed or the application has ended.
  public struct Events: AsyncSequence, Sendable {
    /// Takes the events one by one.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
      let hold: Hold

      /// The next event; nil at the end, and when the task is cancelled.
      public mutating func next() async -> Event? { await hold.queue.next() }

      /// The next event; nil at the end, and when the task is cancelled.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? {
        await hold.queue.next()
      }
    }

    let hold: Hold

    /// An iterator; several share the events out.
    public func makeAsyncIterator() -> Iterator { Iterator(hold: hold) }
  }

  /// Closes the stream when nobody is left who could take an event.
  final class Hold: Sendable {
    let queue: EventQueue
    private let mailbox: Mailbox
    private let number: UInt64

    init(_ queue: EventQueue, _ mailbox: Mailbox, number: UInt64) {
      (self.queue, self.mailbox, self.number) = (queue, mailbox, number)
    }

    deinit { mailbox.post { [number] in $0.stream(numbered: number)?.close() } }
  }

  /// The events of the stream.
  public let events: Events
  private let mailbox: Mailbox
  private let number: UInt64
  private let senders: Senders

  /// Connects; called in the application's loop. On another thread:
  /// `try await mailbox.perform { try AsyncVoIPStream(host: host, port: port, application: $0) }`.
  ///
  /// - Parameters:
  ///   - host: a name or an address.
  ///   - port: the port.
  ///   - application: an application that declared `voip`.
  ///   - offload: pings that the daemon answers while the program sleeps.
  ///   - tcpKeepalive: seconds after which the kernel probes the idle connection; the probes wake no program.
  ///   - outputLimit: the bytes that may wait to be sent.
  /// - Throws: `wrongMode` or `ended`.
  public init(
    host: String, port: UInt16, application: Application, offload: Offload = [], tcpKeepalive: Double? = nil,
    outputLimit: Int = VoIPStream.defaultOutputLimit
  ) throws(LullError) {
    let (queue, senders) = (EventQueue(application.mailbox), Senders())
    let stream = try VoIPStream(
      host: host, port: port, application: application, offload: offload, tcpKeepalive: tcpKeepalive,
      outputLimit: outputLimit
    ) { stream, event in
      switch event {
      case .openCompleted: queue.add(.openCompleted)
      case .hasBytesAvailable: Self.read(stream, into: queue)
      case .hasSpaceAvailable: break
      case .errorOccurred(let error):
        senders.fail(error)
        queue.add(.errorOccurred(error))
      case .endEncountered: queue.add(.endEncountered)
      }
    }
    stream.onSpace = { senders.sent() }
    stream.onClose = {
      senders.fail(.streamClosed)
      queue.finish()
    }
    (mailbox, number, self.senders) = (application.mailbox, stream.number, senders)
    events = Events(hold: Hold(queue, application.mailbox, number: stream.number))
  }

  private static func read(_ stream: VoIPStream, into queue: EventQueue) {
    guard !queue.isFull(for: stream.number) else {
      stream.isReadingPaused = true
      return
    }
    let bytes = stream.read()
    if !bytes.isEmpty { queue.add(.bytesReceived(bytes)) }
  }

  /// Sends bytes, after those of every earlier call, and returns when the connection has taken them.
  ///
  /// - Throws: `LullError` when the stream is closed or breaks before, or when more than the output limit
  ///   would wait; `CancellationError` when the task is cancelled, and the bytes may be sent nevertheless.
  nonisolated(nonsending) public func send(_ bytes: [UInt8]) async throws {
    let delivery = AwaitedValue<Void>()
    try await delivery.value {
      let errand = Errand(delivery)
      mailbox.post { [number, senders] application in
        guard !errand.delivery.isOver else { return }
        guard let stream = application.stream(numbered: number), stream.write(bytes) else {
          let failure = application.stream(numbered: number)?.failure
          return errand.delivery.deliver(.failure(failure ?? .streamClosed))
        }
        if stream.unsentBytes > 0 { senders.add(errand) } else { errand.delivery.deliver(.success(())) }
      }
    }
  }

  /// Sends a text in UTF-8; see ``send(_:)-([UInt8])``.
  nonisolated(nonsending) public func send(_ text: String) async throws { try await send(Array(text.utf8)) }

  /// Closes the connection; unsent bytes are lost, and the events end. Does nothing the second time.
  public func close() {
    mailbox.post { [number] in $0.stream(numbered: number)?.close() }
  }
}

extension LullError {
  fileprivate static var streamClosed: LullError { .refused("the stream is closed") }
}

/// The tasks whose bytes the connection has not taken yet.
final class Senders: Sendable {
  private let waiting = Mutex<[Errand<Void>]>([])

  func add(_ sender: Errand<Void>) { waiting.withLock { $0.append(sender) } }

  func sent() { deliver(.success(())) }

  func fail(_ error: LullError) { deliver(.failure(error)) }

  private func deliver(_ result: Result<Void, any Error>) {
    let all = waiting.withLock { waiting in
      defer { waiting.removeAll() }
      return waiting
    }
    for sender in all { sender.delivery.deliver(result) }
  }
}
