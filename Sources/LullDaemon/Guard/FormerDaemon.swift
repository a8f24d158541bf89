import LullSystem

/// The lulld that gives way to the next one. It serves nobody any more, and waits until the next one has
/// everything: should lull-guard die before that, this lulld starts another one and tells it all again.
struct FormerDaemon {
  let process: HelperProcess
  /// A byte on it gives the lulld leave to end. Its end without one means that whoever held it has died.
  let leave: DescriptorBox

  /// The program of this lulld, also where its file is gone; the one to go back to when the new one does not
  /// start.
  var executable: String { "/proc/\(process.pid)/exe" }

  var isRunning: Bool {
    let end = try? Socket.poll(process.pidfd.raw, .readable, timeoutMilliseconds: 0)
    return end?.isEmpty ?? false
  }

  /// Lets the lulld end: somebody else has everything, or nobody is to have it.
  static func release(_ leave: DescriptorBox) throws(SystemError) { _ = try Socket.write(leave.raw, [1]) }
}
