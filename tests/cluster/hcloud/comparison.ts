/** What is compared of two managers. They differ in nothing but how often they call: a difference that is accepted belongs here. */
import type { Outcome } from "./outcome.ts";

/** What has to be equal: what there is afterwards, and what users are told. */
export function compared({ objects, resources, events }: Outcome): Omit<Outcome, "calls"> {
  return { objects, resources, events };
}

/** Says by how much ours calls more often; `undefined` if it does not. */
export function moreCalls(ours: Outcome, theirs: Outcome): string | undefined {
  const writes = ({ calls }: Outcome) => calls.filter((call) => !call.startsWith("GET ")).length;
  return ours.calls.length > theirs.calls.length || writes(ours) > writes(theirs)
    ? `${ours.calls.length} calls, ${writes(ours)} of them writes; the vendor's makes ${theirs.calls.length}, ${
      writes(theirs)
    }`
    : undefined;
}
