internal import Glibc

/// The files of the time zone database (tzfile(5)).
package enum ZoneFile {
  private static let folder = "/usr/share/zoneinfo/"
  /// The largest file; that of a zone has a few thousand bytes.
  private static let limit = 1 << 16

  /// The file of a zone such as `Europe/Berlin`; nil is the zone of this process: TZ, else /etc/localtime
  /// below `root`. ENOENT: there is no such zone; EINVAL: it is no name. The corresponding C functions are
  /// `open` and `read`.
  package static func read(_ name: String?, root: String = "") throws(SystemError) -> [UInt8] {
    guard let name else {
      let own = Identity.environment("TZ").map { $0.hasPrefix(":") ? String($0.dropFirst()) : $0 }
      if let own, isName(own) { return try Files.read(folder + own, limit: limit) }
      return try Files.read(root + "/etc/localtime", limit: limit)
    }
    guard isName(name) else { throw .invalid(name) }
    return try Files.read(folder + name, limit: limit)
  }

  /// The name leads to no file outside of the database.
  private static func isName(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return name.utf8.count <= 128
      && parts.allSatisfy { part in
        !part.isEmpty && !part.hasPrefix(".")
          && part.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
              UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"):
              true
            default: false
            }
          }
      }
  }
}
