internal import CLinux
internal import Glibc

/// A terminal that a program drives in place of keys and a screen.
package enum PseudoTerminal {
  package struct Ends {
    /// The end with the keys and the screen, non-blocking. Once every descriptor of the other end is closed,
    /// a read fails with EIO.
    package let master: DescriptorBox
    package let terminal: DescriptorBox
  }

  /// A new terminal, which is no process's controlling terminal. Both ends are closed on exec. The
  /// corresponding C functions are `posix_openpt`, `unlockpt` and `ptsname_r`.
  package static func open(_ size: TerminalSize) throws(SystemError) -> Ends {
    var terminal: Int32 = -1
    let raw = try systemCall("posix_openpt") { unsafe clinux_open_terminal(&terminal) }
    let master = DescriptorBox(Descriptor(owning: raw))
    let ends = Ends(master: master, terminal: DescriptorBox(Descriptor(owning: terminal)))
    try Terminal.setSize(terminal, size)
    return ends
  }
}
