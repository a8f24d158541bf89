internal import CPulse

/// A part of a server: the server itself, a sink, a source, a client, or a stream of one.
struct PulseEntry {
  let index: UInt32
  /// The client and the sink or source of a stream.
  let client: UInt32
  let device: UInt32
  /// The process of a client, as it says itself; 0 for an unknown one.
  let pid: Int32
  /// The volume of a stream that plays, as a factor.
  let volume: Double
  let isMuted: Bool
  let isCorked: Bool
  /// True for a source that records a sink.
  let isMonitor: Bool
  let isSuspended: Bool
  /// The name, and words for people; of the server the names of its default sink and source.
  let name: String?
  let text: String?
  /// The source that records a sink.
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
  /// The longest time in nanoseconds that a server may take to answer a question.
  static let answerPatience: Int64 = 100_000_000

  /// Waits for the answer. The corresponding C functions are `pa_context_get_sink_info_list` and the others.
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
