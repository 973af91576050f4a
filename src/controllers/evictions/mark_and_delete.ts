import type { Clock } from "../../base/mod.ts";
import { findCondition, type Pod, PODS } from "../../api/mod.ts";
import type { Client } from "../../client/mod.ts";
import { DISRUPTION_TARGET, podConditionPatch } from "../pods/mod.ts";
import { refOf } from "../running/mod.ts";

/** What is said of a pod that is evicted; Jobs' failure policies look for these words. */
export interface EvictionWords {
  readonly reason: string;
  readonly message: string;
  /** Whether it is said of the pod's present generation. */
  readonly namesGeneration: boolean;
}

/** What marks and deletes. */
export interface EvictingContext {
  readonly clock: Clock;
  readonly client: Pick<Client, "patch" | "delete">;
}

/**
 * Says of a pod that it is to end, unless that is said already, and deletes it: this one, and no other of its name.
 *
 * @param pod As the API server has it.
 * @throws {StatusError} What either write came to.
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

/** Whether it was about another generation is of no concern, as upstream. */
function isMarked({ status }: Pod, { reason, message }: EvictionWords): boolean {
  const condition = findCondition(status?.conditions, DISRUPTION_TARGET);
  return condition?.status === "True" && condition.reason === reason && condition.message === message;
}
