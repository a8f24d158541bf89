package import LullSystem
import LullWire

/// One end of a Unix socket that carries text lines of LullWire, each with at most one descriptor. A channel
/// never blocks. What waits in either direction is bounded: on the way in by one text line and one read, on
/// the way out by `maximumOutput`, with `Overload` for a peer that takes less.
package final class MessageChannel {
  static var oneDescriptor: String { "one descriptor travels with a line, not several" }

  /// `close` closes it.
  package let socket: DescriptorBox
  let overload: Overload
  let maximumOutput: Int
  let maximumLine: Int
  let closer: Closer?
  let total: OutputTotal
  var input: IncomingLines
  var output: OutgoingLines
  package internal(set) var inputEnd: ChannelEnd?
  package internal(set) var outputEnd: ChannelEnd?
  /// The peer's requests wait: see `holdUp`.
  package internal(set) var isHeldUp = false
  /// The peer's next requests wait for this side: see `pause`.
  package internal(set) var isPaused = false
  /// The moment since which the socket has had no room (CLOCK_BOOTTIME in nanoseconds).
  package internal(set) var stalledSince: Int64?
  var hasRefused = false
  /// `tellAnew` is at work; the bound does not count the bytes that it has queued.
  var isTellingAnew = false, exemptOutput = 0
  var registration: Slot?
  var watched: Interest = []

  /// `maximumOutput` and `maximumLine` are in bytes, a line with its LF. `closer` closes the descriptors that
  /// come; nil: here and now. `total` counts the bytes that wait in this and other channels.
  package init(
    _ socket: DescriptorBox, overload: Overload, maximumOutput: Int = 1 << 20,
    maximumLine: Int = Limits.maximumLine, closer: Closer? = nil, total: OutputTotal = OutputTotal()
  ) {
    (self.socket, self.overload, self.maximumOutput) = (socket, overload, maximumOutput)
    (self.maximumLine, self.closer, self.total) = (maximumLine, closer, total)
    input = IncomingLines(maximumLine: maximumLine)
    output = OutgoingLines(countedIn: total)
  }

  deinit { output.removeAll() }

  /// The socket must be out of the reactor before.
  package func close() {
    end(.finished)
    socket.close()
  }

  /// Reads nothing more. What is queued is still sent; the channel is to be closed when `isDone`.
  package func finish() { inputEnd = inputEnd ?? .finished }

  package var isDone: Bool { output.isEmpty }
  package var queuedBytes: Int { output.count }

  /// The descriptors that this end holds open besides the socket: those that came and wait for their text
  /// line, and those that wait to be sent.
  package var descriptorCount: Int { input.descriptorCount + output.descriptorCount }

  func end(_ end: ChannelEnd) {
    inputEnd = inputEnd ?? end
    input.removeAll()
    endOutput(end)
  }

  func endOutput(_ end: ChannelEnd) {
    outputEnd = outputEnd ?? end
    output.removeAll()
    stalledSince = nil
  }
}
