import { CONFIGMAPS } from "../../api/mod.ts";
import type { CleanerClient } from "./context.ts";
import { beginOf } from "./dates.ts";

/** Written by kube-apiserver when it starts to track the use of tokens. */
const TRACKING = { namespace: "kube-system", name: "kube-apiserver-legacy-service-account-token-tracking" };
const DAY_MS = 24 * 3_600_000;

/**
 * When tracking of all uses began: the start of the day after the first one.
 *
 * @returns Milliseconds since 1970.
 * @throws {Error} If that is not recorded, or cannot be read.
 */
export async function trackedSince(client: Pick<CleanerClient, "get">): Promise<number> {
  const { data = {} } = await client.get(CONFIGMAPS, TRACKING);
  const { namespace, name } = TRACKING;
  if (!Object.hasOwn(data, "since")) throw new Error(`ConfigMap ${namespace}/${name} does not have "since"`);
  const firstDay = beginOf(data.since);
  if (firstDay !== undefined) return firstDay + DAY_MS;
  throw new Error(
    `ConfigMap ${namespace}/${name}: "since" must be a date, is ${JSON.stringify(data.since.slice(0, 100))}`,
  );
}
