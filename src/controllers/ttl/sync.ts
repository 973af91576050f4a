import { parseInt64 } from "../../base/mod.ts";
import { byKey } from "../running/mod.ts";
import { TTL_ANNOTATION, writeTtl } from "./actions.ts";
import type { TtlContext } from "./context.ts";

/**
 * Gives a node the TTL annotation that fits the size of the cluster.
 * Upstream: `pkg/controller/ttl/ttl_controller.go` (updateNodeIfNeeded).
 *
 * @param key The node's name.
 * @throws {StatusError} If the node could not be patched.
 */
export async function syncNode(key: string, context: TtlContext): Promise<void> {
  const { world: { log }, nodes, size: { ttlSeconds } } = context;
  const node = byKey(nodes, key);
  if (!node) return;
  const text = node.metadata?.annotations?.[TTL_ANNOTATION];
  const said = text === undefined ? undefined : parseInt64(text);
  if (text !== undefined && said === undefined) {
    const shown = { annotationValue: text.slice(0, LONGEST_SHOWN), annotationKey: TTL_ANNOTATION, node: key };
    log.info("Could not convert the value with annotation key for the node", shown);
  }
  if (said !== BigInt(ttlSeconds)) await writeTtl(key, ttlSeconds, context);
}

/** How many characters of a user's annotation a log line may show. */
const LONGEST_SHOWN = 100;
