import type { Clock } from "../../base/mod.ts";
import { findCondition, type Pod, PODS } from "../../api/mod.ts";
import type { Client } from "../../client/mod.ts";
import { DISRUPTION_TARGET, podConditionPatch } from "../pods/mod.ts";
import { refOf } from "../running/mod.ts";

/** The reason and message on an evicted pod, which Jobs' failure policies look for. */
export interface EvictionWords {
  readonly reason: string;
  readonly message: string;
  /** Whether the condition names the pod's current generation. */
  readonly namesGeneration: boolean;
}

/** What marking and deleting needs. */
export interface EvictingContext {
  readonly clock: Clock;
  readonly client: Pick<Client, "patch" | "delete">;
}

/**
 * Marks a pod as a disruption target, unless it is already, and deletes it: this pod, never another of its name.
 *
 * @param pod As last read from the API server.
 * @throws {StatusError} If either write fails.
 */
export async function markAndDelete(pod: Pod, words: EvictionWords, { clock, client }: EvictingContext): Promise<void> {
  const { uid } = pod.metadata ?? {};
  const { reason, message, namesGeneration } = words;
  if (!isMarked(pod, words)) {
    const subject = namesGeneration ? pod : { ...pod, metadata: { ...pod.metadata, generation: undefined } };
    const statement = { type: DISRUPTION_TARGET, status: "True", reason, message };
    const body = { metadata: { uid }, status: podConditionPatch(subject, statement, clock.wallMs()) };
    await client.patch(PODS, refOf(pod), { type: "strategic", body, subresource: "status" });
  }
  await client.delete(PODS, refOf(pod), { preconditions: { uid } });
}

/** The generation does not matter, as upstream. */
function isMarked({ status }: Pod, { reason, message }: EvictionWords): boolean {
  const condition = findCondition(status?.conditions, DISRUPTION_TARGET);
  return condition?.status === "True" && condition.reason === reason && condition.message === message;
}
