import Fuzzing
import TestSupport
import Testing

@testable import LullWire

/// The one description of each request: its effect on the wire, in memory and in docs/PROTOCOL.md.
@Suite(.bounded) struct RequestDescriptionTests {
  private static func requests(_ verb: Verb) -> [Request] {
    let seed = SplitMix64.seed(for: "requests \(verb.rawValue)")
    var random = RandomFields(generator: SplitMix64(seed: seed))
    return (0..<500).compactMap { _ in random.request(verb) }
  }

  @Test(arguments: Verb.allCases)
  func `what is written of a request is read back, and nothing else is known`(verb: Verb) throws {
    let requests = Self.requests(verb)
    try #require(requests.count >= 50)
    for request in requests {
      #expect(request.verb == verb)
      let message = try Message.parse(request.message().encoded()[...])
      try #require(try Request.parse(message) == request)
      let unknown = message.adding(Field("unheardOf", "1"))
      let error = #expect(throws: WireError.self) { try Request.parse(unknown) }
      let known = Request.fields(of: verb).map(\.key.rawValue)
      #expect(error == .unknownField("unheardOf", verb: verb.rawValue, known: known))
    }
  }

  /// A forgotten field would keep the value of the blank request.
  @Test(arguments: Verb.allCases)
  func `every property of a request stands in its description`(verb: Verb) {
    let blank = Self.properties(Request.blank(verb))
    var fixed = Set(blank.keys)
    for request in Self.requests(verb) {
      let properties = Self.properties(request)
      fixed = fixed.filter { properties[$0] == blank[$0] }
    }
    // A program on the library says these by calls of its own, or not at all.
    let commands = [
      "keepAlive", "fetch", "wakeOn", "ignore", "ignoredPeers", "probes", "tcpKeepAlive", "udpKeepAlive",
      "udpKeepAliveTo", "linger",
      "timers", "silence", "processorPercent", "memorySignal",
    ]
    let unsaid: [Verb: [String]] = [
      .register: commands.map { ".register.settings.\($0)" },
      // Only a notice of Lull's own has it.
      .present: [".present..0.otherAction"], .schedule: [".schedule.notification.otherAction"],
    ]
    #expect(fixed == Set(unsaid[verb] ?? []))
  }

  /// The properties with their values in words: those of structs, of tuples and of the values of a case.
  private static func properties(_ value: Any, path: String = "") -> [String: String] {
    let mirror = Mirror(reflecting: value)
    guard let style = mirror.displayStyle, [.struct, .tuple, .enum, .optional].contains(style),
      !mirror.children.isEmpty
    else { return path.isEmpty ? [:] : [path: "\(value)"] }
    return mirror.children.enumerated().reduce(into: [:]) { all, child in
      let name = style == .optional ? path : "\(path).\(child.element.label ?? "\(child.offset)")"
      all.merge(properties(child.element.value, path: name)) { first, _ in first }
    }
  }

  @Test func `a field stands in a description once`() {
    for verb in Verb.allCases {
      let keys = Request.fields(of: verb).map(\.key)
      #expect(Set(keys).count == keys.count, "\(verb)")
      #expect(keys.count <= Limits.maximumFields)
    }
  }

  @Test func `every request stands on the page, with the fields of its description`() throws {
    var written: Set<String> = []
    for row in try Page.protocol.requests() {
      for word in row.verbs {
        let verb = try #require(Verb(rawValue: word), "\(word)")
        #expect(written.insert(word).inserted, "\(word) stands there twice")
        let fields = WrittenField.all(in: row.fields)
        let known = Request.fields(of: verb)
        #expect(
          Set(fields.map { "\($0.key) \($0.isNeeded)" }) == Set(known.map { "\($0.key) \($0.isNeeded)" }),
          "\(word)")
        for field in known { check(fields.first { $0.key == field.key.rawValue }?.value, field, of: word) }
        #expect(row.fields.hasPrefix("descriptor") == Request.blank(verb).expectsDescriptor, "\(word)")
      }
    }
    #expect(written == Set(Verb.allCases.map(\.rawValue)))
  }

  /// `value` is the text behind `key=`.
  private func check(_ value: String?, _ field: FieldDescription, of verb: String) {
    guard let value else { return }
    switch field.shape {
    case .flag: Issue.record("\(verb): \(field.key) is a flag")
    case .word(let words): #expect(value == words.joined(separator: "|"), "\(verb) \(field.key)")
    case .seconds: #expect(value.hasSuffix("SECONDS"), "\(verb) \(field.key)")
    case .secondsOrNever: #expect(value == "SECONDS|never", "\(verb) \(field.key)")
    case .secondsOrWord(_, let words):
      #expect(value == "SECONDS|" + words.joined(separator: "|"), "\(verb) \(field.key)")
    case .ports: #expect(value == "PORT,PORT", "\(verb) \(field.key)")
    case .sound: #expect(value == "default|PATH", "\(verb) \(field.key)")
    case .schemes: #expect(value == "SCHEME,SCHEME", "\(verb) \(field.key)")
    case .accessories:
      #expect(value == "SUBSYSTEM[:VENDOR[:PRODUCT]],...", "\(verb) \(field.key)")
    case .peers: #expect(value == "ADDRESS[/BITS],...", "\(verb) \(field.key)")
    case .probes: #expect(value == "[PORT][/PATH],...", "\(verb) \(field.key)")
    case .number, .text, .programName, .deviceName, .url, .words: break
    case .integer, .decimal, .list: Issue.record("\(verb): \(field.key) is a field of records")
    }
  }
}
