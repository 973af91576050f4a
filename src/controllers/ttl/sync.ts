import { parseInt64 } from "../../base/mod.ts";
import { byKey } from "../running/mod.ts";
import { TTL_ANNOTATION, writeTtl } from "./actions.ts";
import type { TtlContext } from "./context.ts";

/**
 * Sees to it that a node says the time that is right for the size of the cluster.
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

/** Characters of a log line that a user's annotation may take. */
const LONGEST_SHOWN = 100;
