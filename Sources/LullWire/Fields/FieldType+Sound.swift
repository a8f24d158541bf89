extension FieldType<NotificationSound> {
  /// A relative path would be another file for the daemon.
  static var sound: Self {
    .init(.sound) { (message, key) throws(WireError) in
      guard let text = message[key] else { return nil }
      guard text == NotificationSound.default.word || text.hasPrefix("/") else {
        throw .badValue(key: key.rawValue, value: text, expected: "default, or the absolute path of a file")
      }
      return NotificationSound(word: text)
    } write: { message, key, value in
      message.adding(key, value.word)
    }
  }
}
