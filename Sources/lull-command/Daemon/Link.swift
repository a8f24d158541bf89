import LullSystem
import LullWire

enum Link {
  /// The time that a program on the library may take to register after its return, with some for a machine
  /// that is busy, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000

  /// A program that has just come back to the daemon is waited for until it has registered.
  static func open(_ url: String, in name: String?) throws(Failure) -> Message {
    let deadline = Clock.boottime() + patience
    var connection = try Daemon.connectStarting()
    while true {
      do throws(Failure) {
        return try connection.ask(.open(url: url, name: name)).ok
      } catch .refused(.busy, let text) {
        guard Clock.boottime() < deadline else { throw .refused(.busy, text) }
      }
      Daemon.pause()
    }
  }
}
