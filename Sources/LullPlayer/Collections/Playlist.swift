/// Readers of the lists of other players: M3U, M3U8 and PLS.
///
/// Names are taken byte for byte, in the list's own encoding: they are the names of files.
enum Playlist {
  /// The names in a list, in their order: one on each text line, or in PLS by their numbers.
  static func names(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    let lines = lines(bytes)
    let head = lines.first.map { String(decoding: $0, as: UTF8.self).lowercased() }
    guard head == "[playlist]" else { return lines.filter { $0.first != UInt8(ascii: "#") } }
    var numbered: [(number: Int, name: ArraySlice<UInt8>)] = []
    for line in lines {
      guard let sign = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let key = String(decoding: trimmed(line[..<sign]), as: UTF8.self).lowercased()
      guard key.hasPrefix("file"), let number = Int(key.dropFirst(4)) else { continue }
      numbered.append((number, trimmed(line[(sign + 1)...])))
    }
    return numbered.enumerated().sorted { ($0.element.number, $0.offset) < ($1.element.number, $1.offset) }
      .map(\.element.name)
  }

  static func location(_ name: ArraySlice<UInt8>, folder: [UInt8]) -> MediaLocation {
    if name.first == UInt8(ascii: "/") { return .file(Array(name)) }
    let text = String(decoding: name, as: UTF8.self)
    if let url = MediaLocation(text: text) { return url }
    return .file(folder + [UInt8(ascii: "/")] + name)
  }

  /// The text lines that are not empty, without blanks at their ends and without the byte order mark.
  static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    return text.split { $0 == 0x0A || $0 == 0x0D }.map(trimmed).filter { !$0.isEmpty }
  }

  static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    let rest = line.drop(while: isBlank)
    return rest[..<((rest.lastIndex { !isBlank($0) } ?? rest.startIndex - 1) + 1)]
  }
}

/// A cue sheet: the tracks of an album, the file or files that hold them, and the start of each.
///
/// A pause before a track belongs to the track before it, as on the disc. Nothing is left out, and there is
/// no gap.
struct CueSheet {
  private struct Track {
    var file: Int
    var start: Int?
    var tags: Tags
    var isAudio: Bool
  }

  private var files: [MediaLocation] = []
  private var tracks: [Track] = []
  private var album = Tags()

  /// Reads a sheet; a text line that makes no sense is passed over.
  init(_ bytes: [UInt8], folder: [UInt8]) {
    for line in Playlist.lines(bytes) { read(CueSheet.words(line), folder) }
  }

  var entries: [QueueEntry] {
    let heard = tracks.filter { $0.isAudio && $0.start != nil }
    return heard.enumerated().compactMap { place, track in
      let next = place + 1 < heard.count ? heard[place + 1] : nil
      let end = next?.file == track.file ? next?.start : nil
      guard let start = track.start, let excerpt = Excerpt(start: start, end: end, tags: track.tags) else {
        return nil
      }
      return QueueEntry(files[track.file], excerpt)
    }
  }

  private mutating func read(_ words: [ArraySlice<UInt8>], _ folder: [UInt8]) {
    // UTF-8, else Latin-1, the other encoding of such sheets.
    let texts = words.map(StreamText.decoded)
    guard texts.count > 1 else { return }
    switch texts[0].uppercased() {
    case "FILE": files.append(Playlist.location(words[1], folder: folder))
    case "TRACK" where !files.isEmpty && texts.count > 2:
      let tags = Tags(
        artist: album.artist, album: album.album, genre: album.genre,
        trackNumber: Int(texts[1]).map { String($0) })
      let isAudio = texts[2].uppercased() == "AUDIO"
      tracks.append(Track(file: files.count - 1, tags: tags, isAudio: isAudio))
    case "INDEX" where texts.count > 2 && Int(texts[1]) == 1 && !tracks.isEmpty:
      tracks[tracks.count - 1].start = CueSheet.parts(texts[2])
    case "TITLE": tag(\.title, album: \.album, texts[1])
    case "PERFORMER": tag(\.artist, album: \.artist, texts[1])
    case "REM" where texts.count > 2 && texts[1].uppercased() == "GENRE":
      tag(\.genre, album: \.genre, texts[2])
    default: break
    }
  }

  private mutating func tag(
    _ own: WritableKeyPath<Tags, String?>, album whole: WritableKeyPath<Tags, String?>, _ text: String
  ) {
    guard !text.isEmpty else { return }
    if tracks.isEmpty {
      album[keyPath: whole] = text
    } else {
      tracks[tracks.count - 1].tags[keyPath: own] = text
    }
  }

  /// `mm:ss:ff` in 1/75 s; nil for anything else.
  private static func parts(_ text: String) -> Int? {
    let numbers = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
    guard numbers.count == 3, 0...1_000_000 ~= numbers[0], 0...59 ~= numbers[1],
      0..<Excerpt.partsPerSecond ~= numbers[2]
    else { return nil }
    return (numbers[0] * 60 + numbers[1]) * Excerpt.partsPerSecond + numbers[2]
  }

  /// The words of a text line; a word in quotes may hold blanks.
  private static func words(_ line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var (words, rest): ([ArraySlice<UInt8>], _) = ([], line)
    while let first = rest.first {
      let isQuoted = first == UInt8(ascii: "\"")
      let body = isQuoted ? rest.dropFirst() : rest
      let word = body.prefix { isQuoted ? $0 != UInt8(ascii: "\"") : $0 != 0x20 && $0 != 0x09 }
      words.append(word)
      rest = Playlist.trimmed(body.dropFirst(word.count + (isQuoted ? 1 : 0)))
    }
    return words
  }
}
