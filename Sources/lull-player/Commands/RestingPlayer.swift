import Lull
import LullPlayer
import LullSystem
import LullWire

/// The answers of a player that does not run, from its saved state. Nothing is started and nothing changed.
struct RestingPlayer {
  private let controller: Controller

  /// Nil when there is no saved state.
  init?() throws(Failure) {
    let state: SavedState?
    do throws(SystemError) {
      state = try PlayerState.file?.peek()
    } catch {
      throw .failed("the remembered queue cannot be read: \(error)")
    }
    guard let state else { return nil }
    let player = QueuePlayer(lowWaterSeconds: 1) { _, _ throws(LullError) in throw .ended }
    player.restore(state)
    controller = Controller(player: player) { PlayerTroubles() }
  }

  /// The messages of the answer.
  func ask(_ request: ControlRequest) -> [Message] { controller.answer(request.message).messages }
}
