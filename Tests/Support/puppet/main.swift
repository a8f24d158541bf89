import CPuppet
import Glibc
import LullSystem

// A program that does what a test tells it, line by line on its standard input: see Puppet. `puppet fragile`
// ends with status 3 when its wait is interrupted, as a freeze does.
if CommandLine.arguments.dropFirst().first == "fragile" {
  try StandardStreams.write(Array("ready\n".utf8), to: StandardStreams.output)
  exit(cpuppet_wait_for_nothing() == EINTR ? 3 : 1)
}
let puppet = Puppet()
exit(puppet.run())
