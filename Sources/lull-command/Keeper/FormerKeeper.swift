import LullChannel
import LullSystem
import LullWire

/// The keeper that had a name before. lulld gives a name once, but a program whose daemon and guard have
/// ended runs on, and no daemon knows its name any more.
enum FormerKeeper {
  /// The time that a keeper may take to end whose program has ended, in nanoseconds.
  private static let patience: Int64 = 1_000_000_000

  /// Fails when a program of that name still runs: its socket and its log are not for another.
  static func check(_ name: String) throws(Failure) {
    guard let connection = (try? KeeperConnection(name)) ?? nil else { return }
    connection.send(.watch)
    if (try? connection.waitForEnd(within: patience)) == true { return }
    // A keeper whose program has ended may wait for its last output, which another process holds open.
    guard let keeper = try? UnixSocket.peer(of: connection.channel.socket.raw).pid,
      let program = try? Process.children(of: keeper).first
    else { return }
    throw .failed("\(name) still runs (pid \(program)) without a daemon; end it with kill \(program)")
  }
}
