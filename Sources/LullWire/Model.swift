// The protocol speaks in the words of LullModel: whoever imports it has them.
@_exported public import LullModel
