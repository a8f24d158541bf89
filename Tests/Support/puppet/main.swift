import Glibc
import LullSystem

// A program that does what a test tells it, line by line on its standard input: see Puppet.
let puppet = Puppet()
exit(puppet.run())
