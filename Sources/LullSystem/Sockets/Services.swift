internal import Glibc

package enum Services {
  /// The port of a service of TCP, else of UDP, such as "sip"; nil for a name that the service database does
  /// not have. The corresponding C function is `getservbyname_r`.
  package static func port(named name: String) -> UInt16? {
    port(name, "tcp") ?? port(name, "udp")
  }

  private static func port(_ name: String, _ transport: String) -> UInt16? {
    var entry = unsafe servent()
    var found: UnsafeMutablePointer<servent>?
    var room = [CChar](repeating: 0, count: 4096)
    return unsafe room.withUnsafeMutableBufferPointer { room in
      guard let start = room.baseAddress,
        unsafe getservbyname_r(name, transport, &entry, start, room.count, &found) == 0,
        let port = unsafe found?.pointee.s_port
      else { return nil }
      return UInt16(bigEndian: UInt16(truncatingIfNeeded: port))
    }
  }
}
