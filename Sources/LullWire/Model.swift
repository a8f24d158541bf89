// The protocol speaks in the words of LullModel: an import of LullWire brings them.
@_exported public import LullModel
