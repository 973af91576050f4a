import { parallelize, type TurnBudget } from "../../base/mod.ts";
import type { VolumeSpec } from "../volumes/mod.ts";
import { detachablePlugin } from "./attachable.ts";
import type { AttachContext } from "./context.ts";
import { pluginLabel } from "./metrics.ts";

/** How many volumes are checked at the same time: the few that are not cached are requested. */
const AT_ONCE = 10;
/** As metrics have it. */
const VERIFY = "verify_volumes_are_attached_per_node";

/** A volume that should be where it was attached. */
interface Suspect {
  readonly volume: string;
  readonly node: string;
  readonly spec: VolumeSpec;
}

/**
 * Verifies that volumes are still attached: their VolumeAttachments may have been deleted. Detached ones are forgotten,
 * and attached again if wanted. Upstream: `operationexecutor` (VerifyVolumesAreAttached).
 */
export async function verifyAttachments(context: AttachContext, budget: TurnBudget): Promise<void> {
  const suspects: Suspect[] = [];
  for (const [volume, { spec, nodes }] of context.actual.volumes()) {
    if (!spec) continue;
    for (const [node, { isConfirmed }] of nodes) if (isConfirmed) suspects.push({ volume, node, spec });
    if (budget.spent) await budget.nextTurn();
  }
  const nodes = new Set(suspects.map(({ node }) => node)).size;
  if (nodes === 0) return;
  await context.metrics.timed(
    { plugin: "<n/a>", name: VERIFY, isMigrated: false },
    () =>
      parallelize(AT_ONCE, suspects.length, async (i) => {
        await verify(suspects[i], context);
        if (budget.spent) await budget.nextTurn();
      }, context.signal),
  );
}

async function verify({ volume, node, spec }: Suspect, context: AttachContext): Promise<void> {
  const { actual, operations } = context;
  const isSettled = () => actual.stateOf(volume, node) === "attached" && !operations.isRunning({ volume, node });
  if (!isSettled()) return;
  try {
    const plugin = detachablePlugin(spec, context);
    if (!plugin || await context.attacherOf(plugin).isAttached(spec, node) || !isSettled()) return;
    context.world.log.info("A volume is no longer attached", { volume, node, plugin: pluginLabel(plugin, spec) });
    actual.remove(volume, node);
  } catch (error) {
    // On failure nothing is concluded: otherwise another node might get a volume that this one uses.
    if (!context.signal.aborted) {
      context.world.log.error("Cannot find out whether a volume is attached", { err: error, volume, node });
    }
  }
}
