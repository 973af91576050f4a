/** What is compared of two managers, and in what they may differ. */
import type { Outcome } from "./outcome.ts";

/** Events that one manager may record without the other. */
export const DIFFERENCES: readonly { readonly event: RegExp; readonly reason: string }[] = [
  {
    event: / FailedToCreateRoute /,
    reason: "routes may be looked at before a new node has its private address or afterwards, under either manager",
  },
];

/** What has to be equal: what there is afterwards, and what users are told. */
export function compared({ objects, resources, events }: Outcome): Omit<Outcome, "calls"> {
  return { objects, resources, events: events.filter((text) => !DIFFERENCES.some(({ event }) => event.test(text))) };
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
