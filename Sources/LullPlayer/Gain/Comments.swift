/// The words, the loudness and the cover that go with a sound.
public struct Comments: Equatable, Sendable {
  /// Titles and names.
  public var tags = Tags()
  /// The artist of the album, where that is not the artist of each piece.
  public var albumArtist: String?
  /// The loudness.
  public var gain = ReplayGain()

  /// Comments of which nothing is known.
  public init() {}

  /// Reads names in capitals and their values; the first entry of a name counts.
  init(_ entries: [(name: String, value: String)]) {
    func value(_ name: String) -> String? {
      entries.first { $0.name == name && !$0.value.isEmpty }?.value
    }
    tags = Tags(
      title: value("TITLE"), artist: value("ARTIST"), album: value("ALBUM"), genre: value("GENRE"),
      trackNumber: value("TRACKNUMBER"))
    albumArtist = value("ALBUMARTIST")
    gain = ReplayGain(tag: value)
  }

  /// Reads the block that FLAC, Vorbis and Opus share (Vorbis I specification, 5); nil when it is no such
  /// block. Of a truncated block, the entries before its end count.
  init?(vorbis bytes: ArraySlice<UInt8>) {
    var reader = ByteReader(bytes)
    guard let vendor = reader.little(), reader.take(vendor) != nil, let count = reader.little() else {
      return nil
    }
    var entries: [(name: String, value: String)] = []
    // The count may be forged: the bytes end it.
    for _ in 0..<count {
      guard let size = reader.little(), let entry = reader.take(size) else { break }
      guard let equals = entry.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = String(decoding: entry[..<equals], as: UTF8.self).uppercased()
      guard name != "METADATA_BLOCK_PICTURE" else { continue }
      entries.append((name, String(decoding: entry[(equals + 1)...], as: UTF8.self)))
    }
    self.init(entries)
  }
}
