import type { Secret, ServiceAccount } from "../../api/mod.ts";
import { accountNamedBy, isAccountToken } from "../token_secrets/mod.ts";
import { beginOf, dayOf } from "./dates.ts";

/** Written by kube-apiserver at most once a day. */
const LAST_USED = "kubernetes.io/legacy-token-last-used";
/** kube-apiserver refuses tokens whose Secrets have it. */
export const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";

/** The decision about a token. */
export type Verdict =
  | { readonly type: "keep" }
  /** Mark it with the day from which it is not accepted. */
  | { readonly type: "mark"; readonly day: string }
  | { readonly type: "delete" };

/** The other inputs of a verdict. */
export interface Circumstances {
  readonly nowMs: number;
  readonly cleanUpPeriodMs: number;
  /** The account that the Secret names. */
  account(name: string): ServiceAccount | undefined;
  /** Whether a pod of the Secret's namespace mentions it. Called last, because it scans all of them. */
  isMentioned(): Promise<boolean>;
}

const KEEP: Verdict = { type: "keep" };

/**
 * What becomes of a Secret with a token. Only Secrets that their account lists are legacy tokens. They are marked as
 * invalid after the period without use, and deleted after the same period again.
 */
export async function verdictOn(secret: Secret, circumstances: Circumstances): Promise<Verdict> {
  const { nowMs, cleanUpPeriodMs, isMentioned } = circumstances;
  const { creationTimestamp = "", deletionTimestamp, labels = {} } = secret.metadata ?? {};
  const limitMs = nowMs - cleanUpPeriodMs;
  const limit = dayOf(limitMs);
  // Without a creation time, it counts as created at Go's zero time.
  if (creationTimestamp !== "" && !(Date.parse(creationTimestamp) < limitMs)) return KEEP;
  const lastUsed = labels[LAST_USED];
  const mayBeUnused = lastUsed === undefined || (beginOf(lastUsed) !== undefined && lastUsed < limit);
  if (!isAccountToken(secret) || deletionTimestamp || !mayBeUnused || !isListed(secret, circumstances)) return KEEP;
  if (await isMentioned()) return KEEP;
  const marked = labels[INVALID_SINCE] ?? "";
  if (beginOf(marked) === undefined) return { type: "mark", day: dayOf(nowMs) };
  return marked < limit ? { type: "delete" } : KEEP;
}

/** Whether the account that a Secret names exists and lists it. */
function isListed(secret: Secret, { account }: Circumstances): boolean {
  const { name, uid } = accountNamedBy(secret);
  const found = name === "" ? undefined : account(name);
  if (!found || (uid !== "" && found.metadata?.uid !== uid)) return false;
  return (found.secrets ?? []).some((listed) => listed.name === secret.metadata?.name);
}
