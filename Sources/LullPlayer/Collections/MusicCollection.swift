internal import LullSystem

/// The music that a user's name stands for: a file, a stream, a folder with everything below it, or a list of
/// these.
package struct MusicCollection {
  /// The limits of the nesting of folders and lists, and of the lists that are read.
  private static let deepest = 32
  private static let mostLists = 1000
  /// The largest list, in bytes.
  private static let longestList = 1 << 24
  private static let endings = [
    "wav", "flac", "ogg", "oga", "opus", "mp3", "aif", "aiff", "au", "snd", "caf", "w64", "rf64", "wv", "voc",
  ]

  package private(set) var entries: [QueueEntry] = []
  package private(set) var failures: [(location: MediaLocation, error: DecodeError)] = []

  private var visited: Set<FileIdentity> = []
  private var lists = 0
  /// The lists that are being read; each is named by the list before it.
  private var chain: [[UInt8]] = []

  /// Finds the music of a location. In a folder the names are sorted as people sort them, files that are no
  /// music are passed over, and a cue sheet stands for the files that it divides.
  package init(_ location: MediaLocation) { add(location, depth: 0) }

  private mutating func add(_ location: MediaLocation, depth: Int) {
    guard depth <= Self.deepest else { return }
    guard case .file(let path) = location else { return entries.append(QueueEntry(location)) }
    do throws(SystemError) {
      switch (Files.kind(path), MusicCollection.ending(path)) {
      // A link that leads back up would never end.
      case (.folder(let identity)?, _): if visited.insert(identity).inserted { try addFolder(path, depth) }
      case (.file?, "m3u"), (.file?, "m3u8"), (.file?, "pls"): try addList(path, depth)
      case (.file?, "cue"): entries += try CueSheet(list(path), folder: folder(path)).entries
      default: entries.append(QueueEntry(location))
      }
    } catch {
      failures.append((location, error.isNoSuchFile ? .notFound : .unreadable(error.message)))
    }
  }

  private mutating func addList(_ path: [UInt8], _ depth: Int) throws(SystemError) {
    lists += 1
    guard lists <= Self.mostLists else { return }
    guard !chain.contains(path) else {
      return failures.append((.file(path), .unreadable("the list names itself")))
    }
    chain.append(path)
    defer { chain.removeLast() }
    for name in Playlist.names(try list(path)) {
      add(Playlist.location(name, folder: folder(path)), depth: depth + 1)
    }
  }

  private mutating func addFolder(_ path: [UInt8], _ depth: Int) throws(SystemError) {
    let found = try Files.entries(of: path).sorted { NaturalOrder.precedes($0.name, $1.name) }
    // The tracks of the cue sheets whose files are there.
    var sheets: [[UInt8]: [QueueEntry]] = [:]
    for entry in found where entry.kind == .file && MusicCollection.ending(entry.name) == "cue" {
      let sheet = MusicCollection.join(path, entry.name)
      sheets[entry.name] = try? CueSheet(list(sheet), folder: folder(sheet)).entries.filter { track in
        track.location.path.map { Files.kind($0) == .file } ?? false
      }
    }
    let divided = Set(sheets.values.joined().map(\.location))
    for entry in found {
      let location = MediaLocation.file(MusicCollection.join(path, entry.name))
      switch entry.kind {
      case .folder: add(location, depth: depth + 1)
      case .file:
        let isMusic = Self.endings.contains(MusicCollection.ending(entry.name))
        if isMusic, !divided.contains(location) { entries.append(QueueEntry(location)) }
        entries += sheets[entry.name] ?? []
      case .pipe, .socket, .device, .lostLink: continue
      }
    }
  }

  private func list(_ path: [UInt8]) throws(SystemError) -> [UInt8] {
    try Files.read(path, limit: Self.longestList)
  }

  private func folder(_ path: [UInt8]) -> [UInt8] {
    Array(path[..<(path.lastIndex(of: UInt8(ascii: "/")) ?? 0)])
  }

  private static func join(_ folder: [UInt8], _ name: [UInt8]) -> [UInt8] {
    folder + (folder.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + name
  }

  private static func ending(_ path: [UInt8]) -> String {
    guard let dot = path.lastIndex(of: UInt8(ascii: ".")) else { return "" }
    return String(decoding: path[(dot + 1)...], as: UTF8.self).lowercased()
  }
}

/// The order in which people sort names: numbers by their value, letters without regard to case.
enum NaturalOrder {
  static func precedes(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    let (a, b) = (key(one), key(other))
    // Names that differ in nothing but case or zeros have an order all the same.
    return a != b ? a.lexicographicallyPrecedes(b) : one.lexicographicallyPrecedes(other)
  }

  /// The name in small letters; a number stands as a digit, the count of its digits without leading zeros,
  /// and these: the longer number is the larger.
  private static func key(_ name: [UInt8]) -> [UInt8] {
    var key: [UInt8] = []
    var rest = name[...]
    while let byte = rest.first {
      let digits = rest.prefix { 0x30...0x39 ~= $0 }
      let plain = digits.drop { $0 == 0x30 }
      key +=
        digits.isEmpty
        ? [0x41...0x5A ~= byte ? byte + 32 : byte] : [0x30, UInt8(clamping: plain.count)] + plain
      rest = rest.dropFirst(max(1, digits.count))
    }
    return key
  }
}
