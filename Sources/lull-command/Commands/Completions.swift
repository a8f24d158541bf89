import ArgumentParser
import LullChannel
import LullSystem
import LullWire

/// The words that the shell offers for an argument, asked of the running daemon.
enum Completions {
  static var programs: CompletionKind {
    .custom { _, _, _ in ask(.status(name: nil)) { $0.itemKind == .program ? $0[.name] : nil } }
  }

  /// The names of what "lull start" knows: the installed programs, and the records of "lull run --detach".
  static var records: CompletionKind {
    .custom { _, _, _ in Set(UnknownProgram.startable).sorted() }
  }

  static var installed: CompletionKind { .custom { _, _, _ in installedNames } }

  private static var installedNames: [String] { (try? InstalledFolder.ofThisUser?.names()) ?? [] }

  static var signals: CompletionKind {
    .list((Int32(1)...31).map { String(Signal.name(of: $0).dropFirst("SIG".count)) })
  }

  static var devices: CompletionKind {
    .custom { _, _, _ in
      let inUse = ask(.status(name: nil)) { $0.itemKind == .device ? $0[.device] : nil }
      return Set([DeviceName.usual] + inUse + ((try? SoundProgram.devices()) ?? [])).sorted()
    }
  }

  static var notifications: CompletionKind {
    .custom { _, _, _ in
      ask(.notifications(follow: false)) { $0.itemKind == .notification ? $0[.notification] : nil }
    }
  }

  static var actions: CompletionKind {
    .custom { _, _, _ in
      NotificationAction.allCases.map(\.rawValue)
        + ask(.notifications(follow: false)) { $0.itemKind == .notification ? $0[.action] : nil }
    }
  }

  /// Errors are dropped, and a daemon of another version is not told: without a daemon there is nothing to
  /// offer, and a line of text would be printed into the shell's prompt.
  private static func ask(_ request: Request, _ word: (Message) -> String?) -> [String] {
    do throws(Failure) {
      var connection = try Daemon.connect()
      connection.acceptAnyVersion()
      return try connection.ask(request).items.compactMap(word)
    } catch {
      return []
    }
  }
}

struct ProgramArgument: ParsableArguments {
  @Argument(help: "The program's name, as in \"lull status\".", completion: Completions.programs)
  var name: String
}

struct OptionalProgramArgument: ParsableArguments {
  @Argument(help: "Only this program.", completion: Completions.programs)
  var name: String?
}

struct JSONOption: ParsableArguments {
  @Flag(name: .customLong("json"), help: "Write JSON.")
  var isJSON = false
}
