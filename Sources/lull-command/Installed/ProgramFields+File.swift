import LullChannel
import LullSystem
import LullWire

extension ProgramFields {
  /// The fields of a file. Throws `usage`, whose text begins with the option that is wrong.
  init(_ file: InstalledFile) throws(Failure) {
    for setting in file.settings { try read(setting) }
  }

  private mutating func read(_ setting: InstalledFile.Setting) throws(Failure) {
    let text = setting.value ?? ""
    switch setting.option {
    case .mode: mode = text
    case .keepAlive: keepAlive = try Self.seconds(setting)
    case .wakeOn: wakeOn.append(text)
    case .ignore: ignore.append(text)
    case .tcpKeepAlive: tcpKeepAlive = try Self.seconds(setting)
    case .udpKeepAlive: udpKeepAlive = try Self.seconds(setting)
    case .udpKeepAliveTo: udpKeepAliveTo = text
    case .linger: linger = try Self.seconds(setting)
    case .timers: timers = text
    case .batchWakes: batchWakes = try Self.seconds(setting)
    case .deepBuffer: deepBuffer = try Self.seconds(setting)
    case .silence: silence = try Self.seconds(setting)
    case .scheme: schemes.append(text)
    case .environment: variables.append(text)
    case .exitsOnSuspend: exitsOnSuspend = true
    case .noCompact: staysInMemory = true
    case .keepLines: keepsLines = true
    case .purgeable: isPurgeable = true
    case .memorySignal: memorySignal = text
    case .output, .stdin, .terminal: break
    }
  }

  private static func seconds(_ setting: InstalledFile.Setting) throws(Failure) -> Double {
    guard let seconds = setting.value.flatMap({ Double($0) }) else {
      throw .usage("\(setting.option.rawValue) \(setting.value ?? ""): must be a number of seconds")
    }
    return seconds
  }

  /// The options of a file that says the same.
  var options: [(option: InstalledOption, value: String?)] {
    func number(_ option: InstalledOption, _ value: Double?) -> (InstalledOption, String?)? {
      value.map { (option, RunOptions.number($0)) }
    }
    let single: [(InstalledOption, String?)?] = [
      mode.map { (.mode, $0) }, number(.keepAlive, keepAlive), number(.tcpKeepAlive, tcpKeepAlive),
      number(.udpKeepAlive, udpKeepAlive), udpKeepAliveTo.map { (.udpKeepAliveTo, $0) },
      number(.linger, linger), timers.map { (.timers, $0) }, number(.batchWakes, batchWakes),
      number(.deepBuffer, deepBuffer), number(.silence, silence),
      exitsOnSuspend ? (.exitsOnSuspend, nil) : nil, staysInMemory ? (.noCompact, nil) : nil,
      keepsLines ? (.keepLines, nil) : nil, isPurgeable ? (.purgeable, nil) : nil,
      memorySignal.map { (.memorySignal, $0) },
    ]
    var options = single.compactMap { $0 }
    options += wakeOn.map { (.wakeOn, $0) } + ignore.map { (.ignore, $0) }
    options += schemes.map { (.scheme, $0) } + variables.map { (.environment, $0) }
    return options.map { (option: $0.0, value: $0.1) }
  }
}
