internal import CPulse
internal import LullSystem

/// A connection to a PulseAudio server without a thread: the server's messages are read when a device is
/// asked, so that nothing wakes the process in between.
@safe final class PulseConnection {
  private let name: String
  let library: cpulse
  let context: OpaquePointer
  private let loop: OpaquePointer

  /// The most turns of the loop at a time: a server that never stops sending must not hold up all sound.
  private static let mostTurns = 1000

  /// Starts no server. The server may take so many nanoseconds to accept.
  init(_ address: PulseAddress, within nanoseconds: Int64) throws(SinkError) {
    name = address.description
    var library = cpulse()
    guard unsafe cpulse_load(&library) else { throw .gone("\(name): libpulse is not installed") }
    self.library = library
    guard let loop = unsafe library.mainloop_new() else { throw .gone("\(name): no memory") }
    guard let context = unsafe library.context_new(library.mainloop_get_api(loop), "Lull") else {
      unsafe library.mainloop_free(loop)
      throw .gone("\(name): no memory")
    }
    unsafe self.loop = unsafe loop
    unsafe self.context = unsafe context
    guard unsafe library.context_connect(context, address.server, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0 else {
      throw failure
    }
    let isReady = wait(nanoseconds) { [unowned self] in
      let state = unsafe self.library.context_get_state(self.context)
      return state == PA_CONTEXT_READY || state == PA_CONTEXT_FAILED || state == PA_CONTEXT_TERMINATED
    }
    guard isReady else { throw .gone("\(name): the server does not answer") }
    try check()
  }

  deinit {
    unsafe library.context_disconnect(context)
    unsafe library.context_unref(context)
    unsafe library.mainloop_free(loop)
  }

  var failure: SinkError {
    guard let text = unsafe library.strerror(library.context_errno(context)) else { return .gone(name) }
    return .gone(unsafe "\(name): \(String(cString: text))")
  }

  private func check() throws(SinkError) {
    guard unsafe library.context_get_state(context) == PA_CONTEXT_READY else { throw failure }
  }

  /// Receives and sends without waiting.
  func look() throws(SinkError) {
    for _ in 0..<Self.mostTurns where turn(0) <= 0 { break }
    try check()
  }

  /// False when the condition does not hold in time.
  func wait(_ nanoseconds: Int64, until isSo: () -> Bool) -> Bool {
    let end = Clock.monotonic() + nanoseconds
    while true {
      for _ in 0..<Self.mostTurns where turn(0) <= 0 { break }
      if isSo() { return true }
      let left = end - Clock.monotonic()
      guard left > 0, turn(left / 1000 + 1) >= 0 else { return false }
    }
  }

  /// One turn of the library's loop, which waits for at most `microseconds`. Returns how many events were
  /// handled; negative when the loop has failed.
  private func turn(_ microseconds: Int64) -> Int32 {
    guard unsafe library.mainloop_prepare(loop, Int32(clamping: microseconds)) >= 0,
      unsafe library.mainloop_poll(loop) >= 0
    else { return -1 }
    return unsafe library.mainloop_dispatch(loop)
  }
}

/// A part of a server; `cpulse_entry` has the meaning of the fields.
struct PulseEntry {
  let index: UInt32
  let client: UInt32
  let device: UInt32
  let pid: Int32
  let volume: Double
  let isMuted: Bool
  let isCorked: Bool
  let isMonitor: Bool
  let isSuspended: Bool
  let name: String?
  let text: String?
  let monitor: String?

  fileprivate init(_ entry: UnsafePointer<cpulse_entry>) {
    unsafe (index, client, device) = (entry.pointee.index, entry.pointee.client, entry.pointee.device)
    unsafe (pid, volume) = (entry.pointee.pid, entry.pointee.volume)
    unsafe (isMuted, isCorked) = (entry.pointee.is_muted, entry.pointee.is_corked)
    unsafe (isMonitor, isSuspended) = (entry.pointee.is_monitor, entry.pointee.is_suspended)
    unsafe name = entry.pointee.name.map { unsafe String(cString: $0) }
    unsafe text = entry.pointee.text.map { unsafe String(cString: $0) }
    unsafe monitor = entry.pointee.monitor.map { unsafe String(cString: $0) }
  }
}

extension PulseConnection {
  /// The nanoseconds that a server may take to answer a question.
  static let answerPatience: Int64 = 100_000_000

  /// Waits for the answer.
  func list(_ kind: cpulse_kind) throws(SinkError) -> [PulseEntry] {
    let made = unsafe withUnsafePointer(to: library) { unsafe cpulse_list_new($0, context, kind) }
    guard let list = unsafe made else { throw failure }
    defer { unsafe cpulse_list_free(list) }
    let isThere = wait(Self.answerPatience) { unsafe list.pointee.is_done }
    try look()
    guard isThere, unsafe !list.pointee.has_failed else { throw .gone("the server does not answer") }
    return unsafe (0..<list.pointee.count).map { unsafe PulseEntry(list.pointee.entries + $0) }
  }
}
