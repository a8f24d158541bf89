import LullWire
import Synchronization

/// What was said on the wire in the plays: the keys of the page's entries, each with the values that it had.
final class Spoken: Sendable {
  private let state = Mutex<(values: [String: Set<String>], bounds: Set<String>)>(([:], []))

  var values: [String: Set<String>] { state.withLock { $0.values } }
  /// Bounds that were tried, by their fields.
  var bounds: Set<String> { state.withLock { $0.bounds } }

  func note(_ key: String, _ value: String = "") {
    state.withLock { _ = $0.values[key, default: []].insert(value) }
  }

  func note(bound field: String) { state.withLock { _ = $0.bounds.insert(field) } }

  /// A request that was granted, and its reply.
  func note(granted request: Message, _ reply: Message) {
    note("request \(request.verb)")
    note(fields: request, of: "request \(request.verb)")
    note(fields: reply, of: "reply \(request.verb)")
    if let state = reply[.state] { note("state", state) }
  }

  func note(refused reply: Message) { note("code", reply[.code] ?? "") }

  func note(item: Message, of verb: String) {
    let kind = item[.kind] ?? ""
    note("answer \(verb) \(kind)")
    note(record: item, kind: kind)
  }

  func note(notice: Message) {
    let name = notice.noticeName ?? ""
    // These have the fields of the item of that name.
    if [Notice.entry, .notification].contains(notice.notice) { return note(record: notice, kind: name) }
    note("notice \(name)")
    note(fields: notice, of: "notice \(name)")
    if let message = notice[.message] { note("message", message) }
    if notice.notice == .wake, let reason = notice[.reason] { note("wake reason", reason) }
  }

  private func note(record: Message, kind: String) {
    note("item \(kind)")
    note(fields: record, of: "item \(kind)")
    let what = record["what"]
    switch kind {
    case "wake": note("wake reason", record[.reason] ?? "")
    case "sleep": if let refused = record["refused"] { note("refusal", refused) }
    case "lease": note("lease", record[.lease] ?? "")
    case "program": note("state", record[.state] ?? "")
    case "entry" where what == "woke": note("wake reason", record["cause"] ?? "")
    case "entry" where what == "freeze-refused": note("refusal", record["cause"] ?? "")
    case "entry" where what == "state": note("state", record["detail"] ?? "")
    default: break
    }
  }

  private func note(fields message: Message, of owner: String) {
    for field in message.fields where !(owner.hasPrefix("item") && field.key == "kind") {
      for value in field.text.split(separator: ",", omittingEmptySubsequences: false) {
        note("\(owner) \(field.key)", String(value))
      }
    }
  }
}

/// The differences between the page and what was said.
struct Comparison {
  private(set) var unplayed: [String] = []
  private(set) var unwritten: [String] = []

  init(_ page: ProtocolPage, _ spoken: Spoken, unplayable: [String: String]) {
    for entry in page.entries {
      let values = spoken.values[entry.key]
      let names = entry.words.isEmpty ? [entry.key] : entry.words.map { "\(entry.key)=\($0)" }
      let missing = zip(names, entry.words.isEmpty ? [nil] : entry.words.map(Optional.some))
        .filter { _, word in word.map { values?.contains($0) != true } ?? (values == nil) }.map(\.0)
      unplayed += missing.filter { unplayable[$0] == nil }.map { "line \(entry.line): \($0)" }
      unplayed += names.filter { !missing.contains($0) && unplayable[$0] != nil }
        .map { "\($0) is played and stands in the list of what cannot be" }
      guard !entry.isOpen else { continue }
      // An empty list is no word.
      unwritten += (values ?? []).subtracting(entry.words + [""]).sorted().map { "\(entry.key)=\($0)" }
    }
    unwritten += spoken.values.keys.filter { page[$0] == nil }.sorted()
    unplayed += page.bounds.filter { !spoken.bounds.contains($0.name) }
      .map { "line \($0.line): the bounds of \($0.name)" }
    let known = Set(page.entries.flatMap { entry in [entry.key] + entry.words.map { "\(entry.key)=\($0)" } })
    unplayed += unplayable.keys.filter { !known.contains($0) }.sorted().map { "\($0) is not on the page" }
  }
}
