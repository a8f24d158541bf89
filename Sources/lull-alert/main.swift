import Lull
import LullSystem

StandardStreams.reserve()
do {
  let options = try Options(Array(CommandLine.arguments.dropFirst()))
  if let information = options.information {
    try StandardStreams.write(Array("\(information)\n".utf8), to: StandardStreams.output)
    Process.exit(0)
  }
  try Signal.ignore(Signal.pipe)
  let player = try AlertPlayer(options, signals: SleepSignals())
  Process.exit(player.run())
} catch let error as Options.UsageError {
  complain(error.description)
  Process.exit(64)
} catch {
  complain("\(error)")
  Process.exit(1)
}
