public import Lull

extension StreamDecoder {
  /// Opens files and streams, by an item's location: the ``DecoderOpener`` of an application of the modes
  /// `audio` and `externalAccessory`.
  public static func opener(_ application: Application) -> DecoderOpener {
    { [weak application] item throws(DecodeError) in
      guard case .stream(let url) = item.location else { return try FileDecoder.open(item) }
      guard let application else { throw .unreadable("the program has ended") }
      return try StreamDecoder(application, url: url)
    }
  }
}
