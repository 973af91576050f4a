import { objectKey, type PodGroup, PODGROUPS } from "../../api/mod.ts";
import type { ProtectionContext } from "./context.ts";
import { released } from "./guard.ts";

/** Takes the guard off a group, as the cache has it: if it has changed since, the write is a conflict. */
export async function release(
  group: PodGroup,
  { client, world: { log } }: Pick<ProtectionContext, "client" | "world">,
): Promise<void> {
  await client.update(PODGROUPS, released(group));
  log.verbose(3, "Removed protection finalizer from PodGroup", { podGroup: objectKey(group) });
}
