import ArgumentParser
import LullWire

struct QuietCommand: ParsableCommand {
  enum Setting: String, ExpressibleByArgument, CaseIterable {
    case on
    case off
  }

  static let configuration = CommandConfiguration(
    commandName: "quiet",
    abstract: "Turn the sounds of notifications off or on.",
    discussion: """
      While it is on ("do not disturb"), notifications and calls are shown without a sound, also after a \
      restart. Without an argument: is it on?

      Example: lull quiet on
      """)

  @Argument(help: "on: no sound; off: sounds again.")
  var setting: Setting?

  func run() throws(Failure) {
    let wanted = setting.map { $0 == .on ? Vocabulary.YesNo.yes : .no }
    let ok = try Daemon.ask(.quiet(on: wanted)).ok
    let isOn = ok[.on] == Vocabulary.YesNo.yes.rawValue
    try Output.say(isOn ? "on: notifications make no sound\n" : "off: notifications make their sounds\n")
  }
}
