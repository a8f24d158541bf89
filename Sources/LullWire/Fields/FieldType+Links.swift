extension FieldType<[String]> {
  /// Schemes, each at most once.
  static var schemes: Self {
    .init(.schemes) { (message, key) throws(WireError) in
      guard let parts = try message.list(ifPresent: key) else { return nil }
      let isDouble = parts.indices.contains { parts[..<$0].contains(parts[$0]) }
      guard parts.count <= Limits.maximumSchemes, !isDouble, parts.allSatisfy(LinkURL.isScheme) else {
        throw .badValue(
          key: key.rawValue, value: parts.joined(separator: ","), expected: LinkURL.expectedScheme)
      }
      return parts
    } write: { message, key, schemes in
      message.adding(key, list: schemes)
    }
  }
}
