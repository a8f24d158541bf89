import LullAudio

/// Devices that are opened before a session of theirs is taken over: to open one takes longer than a gap in
/// its sound may last.
final class OpenedAhead {
  private struct Opened {
    let name: String
    let request: SinkRequest
    let sink: any Sink
  }

  private var opened: [Opened] = []

  /// Opens a device for a session; false where it cannot be opened, or not twice.
  func open(_ name: String, for session: SessionRequest) -> Bool {
    guard !opened.contains(where: { $0.name == name }) else { return true }
    let request = SinkRequest(playing: session.format, seconds: session.latency)
    guard let sink = try? AudioDevice.play(name, request) else { return false }
    opened.append(Opened(name: name, request: request, sink: sink))
    return true
  }

  /// The device, if it was opened like this. One that was opened otherwise is closed.
  func take(_ name: String, _ request: SinkRequest) -> (any Sink)? {
    guard let index = opened.firstIndex(where: { $0.name == name }) else { return nil }
    let found = opened.remove(at: index)
    return found.request == request ? found.sink : nil
  }

  /// Closes what no session has needed.
  func close() { opened = [] }
}
