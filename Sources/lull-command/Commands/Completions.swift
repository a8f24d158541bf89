import ArgumentParser
import LullWire

/// The words that the shell offers for an argument, asked of the running daemon.
enum Completions {
  /// The names of the programs.
  static var programs: CompletionKind {
    .custom { _, _, _ in ask(.status(name: nil)) { $0.itemKind == .program ? $0[.name] : nil } }
  }

  /// The devices of the audio sessions, and the default device.
  static var devices: CompletionKind {
    .custom { _, _, _ in
      [DeviceName.usual] + ask(.status(name: nil)) { $0.itemKind == .device ? $0[.device] : nil }
    }
  }

  /// The numbers of the notifications.
  static var notifications: CompletionKind {
    .custom { _, _, _ in
      ask(.notifications(follow: false)) { $0.itemKind == .notification ? $0[.notification] : nil }
    }
  }

  /// The actions of the notifications, and those that every notification has.
  static var actions: CompletionKind {
    .custom { _, _, _ in
      NotificationAction.allCases.map(\.rawValue)
        + ask(.notifications(follow: false)) { $0.itemKind == .notification ? $0[.action] : nil }
    }
  }

  /// Errors are dropped: without a daemon there is nothing to offer, and an error would be printed into the
  /// shell's prompt.
  private static func ask(_ request: Request, _ word: (Message) -> String?) -> [String] {
    let items = (try? Daemon.ask(request).items) ?? []
    return items.compactMap(word)
  }
}

/// The NAME of one program.
struct ProgramArgument: ParsableArguments {
  @Argument(help: "The program's name, as in \"lull status\".", completion: Completions.programs)
  var name: String
}

/// The NAME of one program, or none for all.
struct OptionalProgramArgument: ParsableArguments {
  @Argument(help: "Only this program.", completion: Completions.programs)
  var name: String?
}

/// `--json`.
struct JSONOption: ParsableArguments {
  @Flag(name: .customLong("json"), help: "Write JSON.")
  var isJSON = false
}
