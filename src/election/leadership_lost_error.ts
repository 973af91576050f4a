/** Why a leader's signal aborted when nobody asked it to stop: the process must write nothing more, and had better end. */
export class LeadershipLostError extends Error {
  override readonly name = "LeadershipLostError";
}
