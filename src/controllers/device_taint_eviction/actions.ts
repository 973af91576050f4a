import { type Condition, DEVICETAINTRULES, PODS, splitKey } from "../../api/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import { markAndDelete } from "../evictions/mod.ts";
import { serverSays } from "../running/mod.ts";
import type { DeviceEvictionContext } from "./context.ts";
import type { Eviction } from "./decision.ts";
import type { Rule } from "./evicting_rules.ts";

export const NAME = "device-taint-eviction-controller";

const EVICTED = {
  reason: "DeletionByDeviceTaintManager",
  message: "Device Taint manager: deleting due to NoExecute taint",
  namesGeneration: false,
};

/** A pod, and no other of its name. */
interface PodIdentity {
  readonly key: string;
  readonly uid: string;
}

type Acting = Pick<DeviceEvictionContext, "world" | "client" | "recorder" | "metrics">;

/**
 * Marks a pod as a disruption target and deletes it.
 *
 * @returns Whether it was evicted; a pod that was already gone does not count.
 * @throws {StatusError} If a request failed.
 */
export async function evictPod({ key, uid }: PodIdentity, { atMs }: Eviction, context: Acting): Promise<boolean> {
  const { world: { clock, log }, client, metrics } = context;
  try {
    const pod = await client.get(PODS, splitKey(key));
    if (pod.metadata?.uid !== uid) return false;
    if (!pod.metadata.deletionTimestamp) {
      podEvent({ key, uid }, "Marking for deletion", context);
      await markAndDelete(pod, EVICTED, { clock, client });
    }
  } catch (error) {
    if (serverSays(error, isNotFound)) return false;
    throw error;
  }
  log.info("Evicted pod from its device", { pod: key });
  metrics.deleted(clock.wallMs() - atMs);
  return true;
}

/** Records an event that a pod's eviction was cancelled. */
export function tellCancelled(pod: PodIdentity, context: Acting): void {
  podEvent(pod, "Cancelling deletion", context);
}

function podEvent({ key, uid }: PodIdentity, message: string, { recorder }: Acting): void {
  const reference = { apiVersion: "v1", kind: "Pod", ...splitKey(key), uid };
  recorder.event(reference, "Normal", "DeviceTaintManagerEviction", message);
}

/** Writes the progress of a rule's evictions to exactly this rule. */
export async function applyCondition(
  { metadata }: Rule,
  condition: Condition,
  { client }: Pick<DeviceEvictionContext, "client">,
): Promise<void> {
  const owned = {
    metadata: { name: metadata?.name, uid: metadata?.uid },
    status: { conditions: [condition] },
  };
  const options = { fieldManager: NAME, force: true, subresource: "status" };
  // Exactly the fields to own, which are fewer than a rule must have.
  await client.apply(DEVICETAINTRULES, owned as unknown as Rule, options);
}
