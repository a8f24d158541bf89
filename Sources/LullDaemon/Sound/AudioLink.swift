import LullChannel
import LullGuard
import LullSystem
import LullWire

final class AudioLink: HelperLink {
  static var chosenDevice: String? { Identity.setting("LULL_SOUND_DEVICE") }

  let statusPage: AudioStatusPage

  init(_ descriptor: DescriptorBox, process: HelperProcess, statusPage: AudioStatusPage, longestWait: Int64) {
    self.statusPage = statusPage
    super.init(descriptor, process: process, as: .sound, overload: .dropPeer, longestWait: longestWait)
  }

  private static func begin(
    _ descriptor: DescriptorBox, process: HelperProcess, longestWait: Int64
  ) throws(SystemError) -> AudioLink {
    let (memory, file) = try SharedMemory.create(name: "lull-status", count: AudioStatusPage.bytes)
    let link = AudioLink(
      descriptor, process: process, statusPage: AudioStatusPage(memory), longestWait: longestWait)
    link.tell(MessageToAudio.statusPage.message(), file)
    return link
  }

  /// The lulld before has the other end. Nil when its lull-audio has ended.
  static func inherit(
    _ way: DescriptorBox, pid: Int32, longestWait: Int64
  ) throws(SystemError) -> AudioLink? {
    let process = HelperProcess(pid: pid, pidfd: DescriptorBox(try Process.pidfdOpen(pid)))
    // A process closes its end before another one can get its number.
    guard try Socket.poll(way.raw, .readHangUp, timeoutMilliseconds: 0).isEmpty else { return nil }
    return try begin(way, process: process, longestWait: longestWait)
  }

  static func launch(openFileLimit: Int?, longestWait: Int64) throws(SystemError) -> AudioLink {
    var arguments = [try Process.sibling("lull-audio")]
    if let device = chosenDevice { arguments += ["--device", device] }
    if let seconds = Identity.setting("LULL_SOUND_CLOSE_AFTER") {
      arguments += ["--close-after", seconds]
    }
    let (own, process) = try start(arguments, openFileLimit: openFileLimit)
    return try begin(own, process: process, longestWait: longestWait)
  }
}
