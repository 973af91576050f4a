/** What was counted for a rule. */
export interface RuleCounts {
  /** Pods that are yet to be evicted, or would be. */
  readonly pods: number;
  /** Namespaces that these are in. */
  readonly namespaces: number;
  /** Devices that drivers offer and the rule selects. */
  readonly published: number;
  /** Devices that claims have got and the rule selects. */
  readonly allocated: number;
  /** Pods evicted since the start. */
  readonly evicted: number;
}

interface Statement {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/**
 * The message about a rule's evictions.
 *
 * @param effect Of the rule's taint.
 *
 * @example
 * ```ts
 * import { statement } from "./rule_words.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const counts = { pods: 2, namespaces: 1, published: 0, allocated: 2, evicted: 1 };
 * assertEquals(statement("NoExecute", counts), {
 *   status: "True",
 *   reason: "PodsPendingEviction",
 *   message: "2 pods need to be evicted in 1 namespace. 1 pod evicted since starting the controller.",
 * });
 * ```
 */
export function statement(effect: string, counts: RuleCounts): Statement {
  const { evicted } = counts;
  const done = evicted > 0 ? [`${some(evicted, "pod")} evicted since starting the controller.`] : [];
  const say = (status: Statement["status"], reason: string, ...words: string[]): Statement => ({
    status,
    reason,
    message: [...words, ...done].join(" "),
  });
  const { pods, namespaces } = counts;
  const where = namespaces === 1 ? "1 namespace" : `${namespaces} different namespaces`;
  if (effect === "NoExecute") {
    if (pods === 0) return say("False", evicted > 0 ? "Completed" : "NotStarted");
    return say(
      "True",
      "PodsPendingEviction",
      `${some(pods, "pod")} ${pods === 1 ? "needs" : "need"} to be evicted in ${where}.`,
    );
  }
  if (effect !== "None") return say("False", "OtherEffect", "Eviction only happens for the NoExecute effect.");
  return say(
    "False",
    "NoEffect",
    `${some(counts.published, "published device")} selected.`,
    `${some(counts.allocated, "allocated device")} selected.`,
    `${some(pods, "pod")} would be evicted in ${where} if the effect was NoExecute.`,
    "This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.",
  );
}

function some(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
