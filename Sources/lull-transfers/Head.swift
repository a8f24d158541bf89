import CCurl

/// What a server says of a file before it is fetched. aria2 itself would go on with another file of the same
/// length.
struct Head: Equatable {
  /// The status of the answer, such as 200.
  var status: Int
  /// The length of the file in bytes.
  var length: Int64?
  /// The head line of a request that the server refuses, with 412, when it has another file by then.
  var validator: String?

  /// A line for each field that is known.
  var text: String {
    "\(status)\n\(length.map { "length \($0)\n" } ?? "")\(validator.map { "validator \($0)\n" } ?? "")"
  }

  init(status: Int, length: Int64? = nil, validator: String? = nil) {
    (self.status, self.length, self.validator) = (status, length, validator)
  }

  init?(_ text: String) {
    let lines = text.split(separator: "\n")
    guard let first = lines.first, let status = Int(first) else { return nil }
    func value(_ name: String) -> String? {
      lines.first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) }
    }
    self.init(
      status: status, length: value("length ").flatMap { Int64($0) }, validator: value("validator "))
  }

  /// A weak ETag cannot be asked for (RFC 9110, 13.1.1), so the date takes its place.
  static func validator(tag: String?, date: String?) -> String? {
    if let tag, tag.hasPrefix("\"") { return "If-Match: \(tag)" }
    return date.map { "If-Unmodified-Since: \($0)" }
  }
}

/// Asks one server and waits for it, in a process of its own.
enum HeadRequest {
  private static let connectSeconds = 30, seconds = 60, redirects = 20

  /// The reason in one line where no answer comes.
  static func ask(_ url: String) -> Result<Head, Unanswered> {
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let easy = unsafe curl_easy_init() else {
      return .failure(Unanswered(text: "libcurl cannot be used"))
    }
    defer { unsafe curl_easy_cleanup(easy) }
    unsafe ccurl_set_text(easy, CURLOPT_URL, url)
    unsafe ccurl_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https")
    unsafe ccurl_set_text(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
    unsafe ccurl_set_text(easy, CURLOPT_USERAGENT, "lull-transfers")
    for (option, value) in [
      (CURLOPT_NOBODY, 1), (CURLOPT_FOLLOWLOCATION, 1), (CURLOPT_MAXREDIRS, redirects), (CURLOPT_NOSIGNAL, 1),
      (CURLOPT_CONNECTTIMEOUT, connectSeconds), (CURLOPT_TIMEOUT, seconds),
    ] { unsafe ccurl_set_long(easy, option, value) }
    let result = unsafe curl_easy_perform(easy)
    guard result == CURLE_OK else {
      return .failure(Unanswered(text: unsafe String(cString: curl_easy_strerror(result))))
    }
    func value(_ name: String) -> String? {
      var header: UnsafeMutablePointer<curl_header>?
      guard unsafe curl_easy_header(easy, name, 0, UInt32(CURLH_HEADER), -1, &header) == CURLHE_OK else {
        return nil
      }
      return unsafe header.map { unsafe String(cString: $0.pointee.value) }
    }
    return .success(
      Head(
        status: unsafe ccurl_status(easy), length: value("Content-Length").flatMap { Int64($0) },
        validator: Head.validator(tag: value("ETag"), date: value("Last-Modified"))))
  }

  struct Unanswered: Error {
    let text: String
  }
}
