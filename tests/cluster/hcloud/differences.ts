/** What is compared of two managers, and in what they may differ. */
import type { Maker } from "./bed.ts";
import type { Outcome } from "./outcome.ts";

interface Difference {
  /** In which scenarios; in all if absent. */
  readonly scenario?: string;
  /** Events of one manager that the other does not have. */
  readonly event: RegExp;
  readonly reason: string;
}

export const DIFFERENCES: readonly Difference[] = [];

/** What has to be equal. */
export function compared(scenario: string, { objects, resources, events }: Outcome, _maker: Maker): unknown {
  const isAccepted = (event: string) =>
    DIFFERENCES.some((row) => (row.scenario ?? scenario) === scenario && row.event.test(event));
  return { objects, resources, events: events.filter((event) => !isAccepted(event)) };
}

/** Says by how much ours asked more often; `undefined` if it did not. */
export function moreCalls(ours: Outcome, theirs: Outcome): string | undefined {
  const count = ({ calls }: Outcome, isWrite: boolean) =>
    calls.filter((call) => call.startsWith("GET") !== isWrite).length;
  const [all, most] = [ours.calls.length, theirs.calls.length];
  const [writes, mostWrites] = [count(ours, true), count(theirs, true)];
  return all > most || writes > mostWrites
    ? `${all} calls, ${writes} of them writes; the vendor's makes ${most}, ${mostWrites}`
    : undefined;
}
