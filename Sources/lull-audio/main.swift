import LullAudio
import LullChannel
import LullSystem

/// Runs until lulld is gone; its return closes the devices.
func serve(_ options: Options) throws(SystemError) {
  let service = try AudioService(options)
  try service.run()
}

StandardStreams.reserve()
do {
  let options = try Options(Array(CommandLine.arguments.dropFirst()))
  if let information = options.information { Process.exit(DeviceCheck.write(information + "\n")) }
  try? Signal.ignore(Signal.pipe)
  // Every session is a descriptor.
  _ = try? ResourceLimits.raiseOpenFiles()
  AlsaDevice.silenceLibrary()
  if options.lists { Process.exit(DeviceCheck.list()) }
  if options.namesPlugin { Process.exit(DeviceCheck.namePlugin()) }
  if options.checks { Process.exit(DeviceCheck.run(options.device, captures: options.captures)) }
  Scheduling.preferRealTime()
  try serve(options)
  // The device is closed before this wait: the next lull-audio may want it.
  Leftovers().lendHand()
} catch let error as Options.UsageError {
  complain(error.description)
  Process.exit(64)
} catch {
  complain("\(error); it is started by lulld, with a socket at descriptor 3")
  Process.exit(1)
}
