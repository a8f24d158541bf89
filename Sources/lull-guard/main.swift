import LullDaemon
import LullSystem

Process.exit(Startup.guardian(arguments: Array(CommandLine.arguments.dropFirst())))
