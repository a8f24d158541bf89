/// The genres of ID3v1, which ID3v2 may name by their numbers.
enum ID3Genre {
  private static let names = [
    "Blues", "Classic Rock", "Country", "Dance", "Disco", "Funk", "Grunge", "Hip-Hop", "Jazz", "Metal",
    "New Age", "Oldies", "Other", "Pop", "R&B", "Rap", "Reggae", "Rock", "Techno", "Industrial",
    "Alternative", "Ska", "Death Metal", "Pranks", "Soundtrack", "Euro-Techno", "Ambient", "Trip-Hop",
    "Vocal", "Jazz+Funk", "Fusion", "Trance", "Classical", "Instrumental", "Acid", "House", "Game",
    "Sound Clip", "Gospel", "Noise", "Alternative Rock", "Bass", "Soul", "Punk", "Space", "Meditative",
    "Instrumental Pop", "Instrumental Rock", "Ethnic", "Gothic", "Darkwave", "Techno-Industrial",
    "Electronic", "Pop-Folk", "Eurodance", "Dream", "Southern Rock", "Comedy", "Cult", "Gangsta", "Top 40",
    "Christian Rap", "Pop/Funk", "Jungle", "Native American", "Cabaret", "New Wave", "Psychedelic", "Rave",
    "Showtunes", "Trailer", "Lo-Fi", "Tribal", "Acid Punk", "Acid Jazz", "Polka", "Retro", "Musical",
    "Rock & Roll", "Hard Rock",
  ]

  /// The name in a text such as `17`, `(17)` or `(17)Rock`; any other text is the name itself. A number that
  /// is no genre's gives an empty name.
  static func name(_ text: String) -> String {
    let isBraced = text.hasPrefix("(")
    let inner = isBraced ? text.dropFirst().prefix { $0 != ")" } : text[...]
    guard let number = Int(inner) else { return text }
    let rest = isBraced ? text.drop { $0 != ")" }.dropFirst() : ""
    guard rest.isEmpty else { return String(rest) }
    return names.indices.contains(number) ? names[number] : ""
  }
}
