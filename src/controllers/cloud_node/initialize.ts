import { type Node, objectKey, parseTime } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { type ConflictRetry, retryOnConflict } from "../../client/mod.ts";
import { forCloud, type InstanceMetadata } from "../../cloud/mod.ts";
import { byKey } from "../running/mod.ts";
import { writeNode } from "./actions.ts";
import { preferred } from "./addresses.ts";
import { bothLabels } from "./beta_labels.ts";
import type { CloudNodeContext } from "./context.ts";
import { refreshAddresses } from "./status_pass.ts";
import { withoutUninitialized } from "./uninitialized.ts";

/** The cache may lag for a while. Upstream: UpdateNodeSpecBackoff. */
const RETRY: ConflictRetry = { tries: 20, initialMs: 50, factor: 1, jitter: 1 };
/** Labels reserved for Kubernetes. */
const RESERVED = /(^|\.)(kubernetes|k8s)\.io\//;

/**
 * Adds the cloud's metadata to a node and lets pods be scheduled to it.
 * Upstream: `k8s.io/cloud-provider/controllers/node/node_controller.go` (syncNode).
 *
 * @throws {Error} If the cloud does not know enough about it, or the write failed: no pod may be scheduled to it yet.
 */
export async function initialize(node: Node, context: CloudNodeContext, signal: AbortSignal): Promise<void> {
  const { world: { clock, log }, nodes, recorder, metrics } = context;
  const name = objectKey(node);
  const known = await metadataOf(node, context, signal);
  if (!known) return void log.info("Skipping a node that its cloud knows nothing of", { node: name });
  try {
    preferred(node, known.nodeAddresses ?? []);
  } catch (cause) {
    const why = `provided node ip for node ${JSON.stringify(name)} is not valid: ${errorText(cause)}`;
    throw new Error(`failed to get node modifiers from cloud provider: ${why}`, { cause });
  }
  const written = await retryOnConflict(context.world, async () => {
    const present = byKey(nodes, name);
    if (!present || present.metadata?.uid !== node.metadata?.uid) return undefined;
    const initialized = withMetadata(present, known, (label) => log.warn("Discarding a label of the cloud", label));
    await writeNode(initialized, context);
    return initialized;
  }, { retry: RETRY, signal });
  if (!written) return;
  const ageS = () => (clock.wallMs() - parseTime(written.metadata?.creationTimestamp ?? "")) / 1000;
  metrics.untaintedAfter(ageS());
  await refreshAddresses(written, known, context);
  log.info("Successfully initialized node with cloud provider", { node: name });
  recorder.event(node, "Normal", "Synced", "Node synced successfully");
  metrics.syncedAfter(ageS());
}

/** @throws {Error} If the cloud cannot be reached, or the node would have no ID. */
async function metadataOf(
  node: Node,
  { instances }: CloudNodeContext,
  signal: AbortSignal,
): Promise<InstanceMetadata | null> {
  const name = objectKey(node);
  try {
    const known = await instances.instanceMetadata(forCloud(node), signal);
    if (known && (known.providerID ?? undefined) === undefined && !node.spec?.providerID) {
      throw new Error(`cloud provider does not set node provider ID for node ${name}`);
    }
    return known;
  } catch (cause) {
    throw new Error(`failed to get instance metadata for node ${name}: ${errorText(cause)}`, { cause });
  }
}

/** The node with its cloud's metadata. Existing values win, except for its zone, region and type. */
function withMetadata(
  { metadata, spec, ...rest }: Node,
  known: InstanceMetadata,
  onDiscarded: (label: { readonly label: string; readonly why: string }) => void,
): Node {
  const labels = { ...metadata?.labels, ...bothLabels(known) };
  for (const [label, value] of Object.entries(known.additionalLabels ?? {})) {
    if (RESERVED.test(label)) onDiscarded({ label, why: "it is Kubernetes' own" });
    else if (!Object.hasOwn(labels, label)) labels[label] = value;
    else if (labels[label] !== value) onDiscarded({ label, why: "the node has another value of it" });
  }
  return {
    ...rest,
    metadata: { ...metadata, labels },
    spec: {
      ...spec,
      providerID: spec?.providerID || known.providerID || undefined,
      taints: withoutUninitialized(spec?.taints),
    },
  };
}
