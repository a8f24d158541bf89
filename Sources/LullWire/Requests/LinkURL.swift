/// The links that programs take, such as `sip:alice@example.org`, and their schemes (RFC 3986, 3.1).
package enum LinkURL {
  package static let expected =
    "a link such as sip:alice@example.org, without spaces and control characters, "
    + "of at most \(Limits.maximumURL) bytes"
  package static let expectedScheme =
    "a scheme such as sip: a letter, then small letters, digits, '+', '-' or '.'; each once, "
    + "at most \(Limits.maximumSchemes)"

  /// A program names its schemes in small letters, the usual form.
  package static func isScheme(_ text: String) -> Bool {
    guard let first = text.utf8.first, Grammar.isLower(first) else { return false }
    return text.utf8.count <= Limits.maximumWord
      && text.utf8.allSatisfy { Grammar.isLower($0) || Grammar.isDigit($0) || "+-.".utf8.contains($0) }
  }

  /// In small letters; nil when the text is no link.
  ///
  /// A space, a control character or one that turns the direction of writing is in no link: a link is shown
  /// to people, and handed on to other programs.
  package static func scheme(of text: String) -> String? {
    guard text.utf8.count <= Limits.maximumURL, text.unicodeScalars.allSatisfy(isVisible),
      let colon = text.firstIndex(of: ":"), text.index(after: colon) < text.endIndex
    else { return nil }
    let scheme = text[..<colon].lowercased()
    return isScheme(scheme) ? scheme : nil
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .privateUse, .surrogate,
      .unassigned:
      false
    default: true
    }
  }
}

/// The links by which the program that fetches files tells others of them (docs/TRANSFERS.md).
package enum TransferLink {
  package static let scheme = "lull-transfer"
  /// The name of that program, which may open these links.
  package static let service = "transfers"
}
