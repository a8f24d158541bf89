import LullChannel

// The fields in the file of an installed program.
extension ProgramFields {
  /// The field that an option sets.
  private enum Field {
    case flag(WritableKeyPath<ProgramFields, Bool>)
    case text(WritableKeyPath<ProgramFields, String?>)
    case seconds(WritableKeyPath<ProgramFields, Double?>)
    case list(WritableKeyPath<ProgramFields, [String]>)
  }

  /// Nil for an option that is about the output and the input, and not among the fields.
  private static func field(_ option: InstalledOption) -> Field? {
    switch option {
    case .mode: .text(\.mode)
    case .keepAlive: .seconds(\.keepAlive)
    case .wakeOn: .list(\.wakeOn)
    case .ignore: .list(\.ignore)
    case .tcpKeepAlive: .seconds(\.tcpKeepAlive)
    case .udpKeepAlive: .seconds(\.udpKeepAlive)
    case .udpKeepAliveTo: .text(\.udpKeepAliveTo)
    case .linger: .seconds(\.linger)
    case .timers: .text(\.timers)
    case .batchWakes: .seconds(\.batchWakes)
    case .deepBuffer: .seconds(\.deepBuffer)
    case .silence: .seconds(\.silence)
    case .scheme: .list(\.schemes)
    case .environment: .list(\.variables)
    case .exitsOnSuspend: .flag(\.exitsOnSuspend)
    case .noCompact: .flag(\.staysInMemory)
    case .keepLines: .flag(\.keepsLines)
    case .purgeable: .flag(\.isPurgeable)
    case .memorySignal: .text(\.memorySignal)
    case .output, .stdin, .terminal: nil
    }
  }

  /// The fields of a file. Throws `usage`, whose text begins with the option that is wrong.
  init(_ file: InstalledFile) throws(Failure) {
    for setting in file.settings { try read(setting) }
  }

  private mutating func read(_ setting: InstalledFile.Setting) throws(Failure) {
    let text = setting.value ?? ""
    switch Self.field(setting.option) {
    case .flag(let path): self[keyPath: path] = true
    case .text(let path): self[keyPath: path] = text
    case .list(let path): self[keyPath: path].append(text)
    case .seconds(let path):
      self[keyPath: path] = try RunOptions.seconds(text, option: setting.option.rawValue)
    case nil: break
    }
  }

  /// The options of a file that says the same.
  var options: [(option: InstalledOption, value: String?)] {
    InstalledOption.allCases.flatMap { option in values(of: option).map { (option, $0) } }
  }

  private func values(of option: InstalledOption) -> [String?] {
    switch Self.field(option) {
    case .flag(let path): self[keyPath: path] ? [nil] : []
    case .text(let path): self[keyPath: path].map { [$0] } ?? []
    case .list(let path): self[keyPath: path]
    case .seconds(let path): self[keyPath: path].map { [RunOptions.number($0)] } ?? []
    case nil: []
    }
  }
}
