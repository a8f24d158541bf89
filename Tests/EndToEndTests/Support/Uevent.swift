import LullWire
import TestSupport
import Testing

/// Messages of the kernel about devices, in one network alone: what is written to a file `uevent` of /sys
/// comes to every daemon of the machine.
enum Uevent {
  private static let script = """
    import socket, sys
    kernel = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15)
    for event in sys.argv[1:]:
      action, subsystem, path, *fields = event.split(" ")
      words = [action + "@" + path, "ACTION=" + action, "SUBSYSTEM=" + subsystem, "DEVPATH=" + path]
      kernel.sendto("\\0".join(words + fields + [""]).encode(), (0, 1))
    """

  /// `events` are told without a pause, each as `ACTION SUBSYSTEM PATH FIELDS`.
  static func tell(_ events: String..., in network: Network) throws { try tell(events, in: network) }

  static func tell(_ events: [String], in network: Network) throws {
    _ = try network.holder
    let child = try ConnectedChild(network.prefix + ["python3", "-c", script] + events)
    let complaint = try child.errors.untilEnd()
    try #require(child.end() == .exited(0), "\(events): \(complaint)")
  }
}
