import { errorText } from "../../base/mod.ts";
import { HORIZONTALPODAUTOSCALERS, type MetricStatus, objectKey } from "../../api/mod.ts";
import type { Autoscaler, SyncState } from "./context.ts";
import type { Target } from "./target.ts";

/** The number of replicas to set, and why. */
export interface Decision {
  readonly desired: number;
  readonly reason: string;
  readonly metrics: readonly MetricStatus[];
  readonly partialError?: Error;
}

/**
 * Scales the target and records an event.
 *
 * @throws {Error} If that fails; the status shows it.
 */
export async function rescale(target: Target, { desired, reason, metrics }: Decision, state: SyncState): Promise<void> {
  const { autoscaler, draft, recorder, scales, signal, world: { log } } = state;
  const { specReplicas: current } = target.scale;
  try {
    await scales.write(target, desired, signal);
  } catch (error) {
    const why = errorText(error);
    recorder.event(autoscaler, "Warning", "FailedRescale", `New size: ${desired}; reason: ${reason}; error: ${why}`);
    const message = `the HPA controller was unable to update the target scale: ${why}`;
    draft.say("AbleToScale", { isTrue: false, reason: "FailedUpdateScale", message });
    draft.count({ current, metrics });
    await tryToWriteStatus(state);
    throw new Error(`failed to rescale ${referenceOf(autoscaler)}: ${why}`, { cause: error });
  }
  const message = `the HPA controller was able to update the target scale to ${desired}`;
  draft.say("AbleToScale", { isTrue: true, reason: "SucceededRescale", message });
  recorder.event(autoscaler, "Normal", "SuccessfulRescale", `New size: ${desired}; reason: ${reason}`);
  log.info("Successfully rescaled", { HPA: state.key, currentReplicas: current, desiredReplicas: desired, reason });
}

/** @throws {Error} If the write fails, which is recorded in an event. */
export async function writeStatus(
  { autoscaler, draft, client, recorder, signal, world: { log } }: SyncState,
): Promise<void> {
  if (!draft.isChanged) return;
  try {
    await client.updateStatus(HORIZONTALPODAUTOSCALERS, { ...autoscaler, status: draft.status }, { signal });
  } catch (error) {
    recorder.event(autoscaler, "Warning", "FailedUpdateStatus", errorText(error));
    throw new Error(`failed to update status for ${autoscaler.metadata?.name}: ${errorText(error)}`, { cause: error });
  }
  log.verbose(2, "Successfully updated status", { HPA: objectKey(autoscaler) });
}

/** For a sync that already failed, whose own error is reported. */
export async function tryToWriteStatus(state: SyncState): Promise<void> {
  try {
    await writeStatus(state);
  } catch (error) {
    state.world.log.error("Cannot update the status of an autoscaler", { err: error, HPA: state.key });
  }
}

/** The target's name in messages. */
export function referenceOf({ metadata, spec: { scaleTargetRef: { kind, name } } }: Autoscaler): string {
  return `${kind}/${metadata?.namespace}/${name}`;
}
