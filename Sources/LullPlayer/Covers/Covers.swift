internal import LullSystem

/// The pictures that desktops show beside the title: the picture embedded in the file, else the picture
/// beside it.
package final class Covers {
  private static let names = ["cover", "folder", "front", "album"]
  private static let endings = ["jpg", "jpeg", "png", "webp", "gif"]

  private let folder: String
  private var known: (location: MediaLocation, cover: MediaLocation?)?

  /// Writes embedded pictures to a folder, which holds one at a time.
  package init(folder: String) { self.folder = folder }

  /// The standard folder of covers: `$XDG_CACHE_HOME/lull/covers`, else `~/.cache/lull/covers` (XDG Base
  /// Directory Specification); nil when the user has no home directory.
  package static func standard() -> Covers? {
    if let given = Identity.environment("XDG_CACHE_HOME"), given.hasPrefix("/") {
      return Covers(folder: given + "/lull/covers")
    }
    return Identity.home().map { Covers(folder: $0 + "/.cache/lull/covers") }
  }

  /// The last result is remembered.
  package func cover(of location: MediaLocation) -> MediaLocation? {
    if let known, known.location == location { return known.cover }
    let cover = location.path.flatMap { embedded(in: $0) ?? Covers.beside($0) }
    known = (location, cover)
    return cover
  }

  private func embedded(in path: [UInt8]) -> MediaLocation? {
    guard let picture = FileDecoder.picture(in: path) else { return nil }
    // FNV-1a: the name follows from the picture, so that no desktop shows an old picture from its cache.
    let hash = picture.bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    let name = "\(String(hash, radix: 16)).\(picture.ending)"
    do throws(SystemError) {
      try Files.makeDirectories(folder)
      for old in try Files.entries(of: Array(folder.utf8)) where old.name != Array(name.utf8) {
        try? Files.unlink("\(folder)/\(String(decoding: old.name, as: UTF8.self))")
      }
      if !Files.exists("\(folder)/\(name)") { try Files.replace("\(folder)/\(name)", with: picture.bytes) }
    } catch {
      // A full disk costs the picture, nothing else.
      return nil
    }
    return MediaLocation(path: "\(folder)/\(name)")
  }

  private static func beside(_ path: [UInt8]) -> MediaLocation? {
    guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    let folder = Array(path[..<slash])
    let files = ((try? Files.entries(of: folder)) ?? []).filter { $0.kind == .file }
    for name in names {
      for ending in endings {
        let wanted = "\(name).\(ending)"
        let found = files.first { String(decoding: $0.name, as: UTF8.self).lowercased() == wanted }
        if let found { return .file(folder + [UInt8(ascii: "/")] + found.name) }
      }
    }
    return nil
  }
}
