// The engine exports the words of LullModel, so that importers of the engine have them.
@_exported public import LullModel
