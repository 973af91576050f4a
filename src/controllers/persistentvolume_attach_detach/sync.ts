import { isMultiAttachAllowed, type OperationKey, type VolumeSpec } from "../volumes/mod.ts";
import { type AttachContext, attachmentKey, splitAttachmentKey } from "./context.ts";
import type { DesiredVolume } from "./desired_state.ts";
import { type Detachment, detachmentOf, UNMOUNT_WAIT_MS } from "./detachment.ts";
import { conflictMessage } from "./messages.ts";
import { ATTACH, attach, DETACH, detach, type Detachable, detachable } from "./operations.ts";

/** When volumes without a plug-in are checked again. */
const PLUGIN_AGAIN_MS = 60_000;

/**
 * Attaches a volume to a node if and only if it is wanted there. An exclusive volume is handled as a whole: it is
 * detached from one node before it is attached to another.
 * Upstream: `attachdetach/reconciler/reconciler.go`, which looks at everything every 100 ms.
 *
 * @param key See {@link attachmentKey}.
 * @throws {Error} If the kubelet's report could not be updated before detaching.
 */
export async function syncAttachment(key: string, context: AttachContext): Promise<void> {
  const { volume, node } = splitAttachmentKey(key);
  const { desired, actual } = context;
  // After an operation on the whole volume no node is named.
  const isShared = node !== "" && isMultiAttachAllowed(exclusiveSpec(volume, context));
  const nodes = isShared ? [node] : [...actual.get(volume)?.nodes.keys() ?? []];
  for (const each of nodes) if (!desired.has(volume, each)) await detachFrom(volume, each, context);
  const wanted = isShared ? [desired.nodesOf(volume).get(node)] : [...desired.nodesOf(volume).values()];
  for (const each of wanted) if (each) attachTo(each, context);
}

/** What is known of a volume independently of nodes; enough to tell whether it is shared. */
function exclusiveSpec(volume: string, { desired, actual }: AttachContext): VolumeSpec | undefined {
  const [wanted] = desired.nodesOf(volume).values();
  return wanted?.spec ?? actual.get(volume)?.spec;
}

/** Operations on a volume that cannot be shared never overlap, wherever they are. */
function operationKey(volume: string, node: string, spec: VolumeSpec | undefined): OperationKey {
  return { volume, node: isMultiAttachAllowed(spec) ? node : "" };
}

async function detachFrom(volume: string, node: string, context: AttachContext): Promise<void> {
  const { actual, reports, operations } = context;
  const key = operationKey(volume, node, actual.get(volume)?.spec);
  if (actual.stateOf(volume, node) === "detached" || operations.isRunning(key)) return;
  const retryAtMs = operations.retryAtMs(key, DETACH);
  if (retryAtMs !== undefined) return lookAgain(volume, node, retryAtMs - context.world.clock.monotonicMs(), context);
  // Its time starts when its driver is there to say that it is wanted: a driver that comes back late forces nothing.
  const target = findDetachable(volume, node, context);
  if (!target || !decide(volume, node, context)) return;
  // The kubelet's report is updated first: it may mount what is reported as attached.
  const wasReported = reports.remove(volume, node);
  try {
    await reports.publish(node);
  } catch (error) {
    if (wasReported) reports.add(volume, node);
    throw error;
  }
  // Things may have changed meanwhile; for example, a pod may have returned.
  if (operations.isRunning(key) || actual.stateOf(volume, node) === "detached") return;
  const detachment = context.desired.has(volume, node) ? undefined : decide(volume, node, context);
  if (!detachment) {
    if (wasReported) reports.add(volume, node);
    return;
  }
  start(target, key, detachment, context);
}

/** Whether and how to detach a volume; if it is too early, it is queued again in time. */
function decide(volume: string, node: string, context: AttachContext): Detachment | undefined {
  const { actual, world, options } = context;
  const nowMs = world.clock.monotonicMs();
  const sinceMs = actual.unwanted(volume, node, nowMs);
  const detachment = detachmentOf({
    node: context.nodes.get(undefined, node),
    isInUse: actual.isInUse(volume, node),
    forMs: nowMs - sinceMs,
    forceDetachesNever: options.forceDetachesNever,
  });
  const leftMs = sinceMs + UNMOUNT_WAIT_MS + 1 - nowMs;
  if (!detachment && leftMs > 0) lookAgain(volume, node, leftMs, context);
  return detachment;
}

function findDetachable(volume: string, node: string, context: AttachContext): Detachable | undefined {
  try {
    return detachable(volume, node, context);
  } catch (error) {
    context.world.log.verbose(2, "Cannot detach a volume", { err: error, volume, node });
    lookAgain(volume, node, PLUGIN_AGAIN_MS, context);
    return undefined;
  }
}

function start(
  target: Detachable,
  key: OperationKey,
  { verifies, forcedBy }: Detachment,
  context: AttachContext,
): void {
  const { volume, node } = target;
  const outcome = context.operations.start(key, DETACH, () => detach(target, { verifies }, context));
  if (outcome !== "started") return;
  if (forcedBy) context.metrics.forced.inc([forcedBy]);
  context.world.log.info("Detaching a volume", { volume, node, ...forcedBy && { forcedBy } });
}

function attachTo(wanted: DesiredVolume, context: AttachContext): void {
  const { volume, node, spec } = wanted;
  const { actual, operations } = context;
  const key = operationKey(volume, node, spec);
  if (operations.isRunning(key)) return;
  if (actual.stateOf(volume, node) === "attached") return actual.wanted(volume, node);
  const others = isMultiAttachAllowed(spec) ? [] : othersWith(wanted, context);
  if (others.length > 0) return reportConflict(wanted, others, context);
  const retryAtMs = operations.retryAtMs(key, ATTACH);
  if (retryAtMs !== undefined) return lookAgain(volume, node, retryAtMs - context.world.clock.monotonicMs(), context);
  operations.start(key, ATTACH, () => attach(wanted, context));
  context.world.log.info("Attaching a volume", { volume, node });
}

/**
 * The other nodes that have a volume. One that should have been attached to a node counts only if it was, after all:
 * upstream's manager does not look, and may attach it twice.
 */
function othersWith({ volume, node: here, spec }: DesiredVolume, context: AttachContext): string[] {
  const nodes = context.actual.get(volume)?.nodes ?? [];
  return [...nodes].filter(([node]) => node !== here)
    .filter(([node, { isConfirmed }]) => isConfirmed || isSeenAttached(spec, node, context))
    .map(([node]) => node);
}

function isSeenAttached(spec: VolumeSpec, node: string, { plugins, attacherOf }: AttachContext): boolean {
  try {
    return attacherOf(plugins.bySpec(spec)).isSeenAttached(spec, node);
  } catch {
    return false; // without a plug-in nobody attaches it here either
  }
}

/** Tells pods once that their volume is attached elsewhere. */
function reportConflict(wanted: DesiredVolume, nodes: readonly string[], { desired, recorder }: AttachContext): void {
  if (wanted.isConflictReported) return;
  wanted.isConflictReported = true;
  const users = nodes.flatMap((node) => [...desired.nodesOf(wanted.volume).get(node)?.pods.values() ?? []]);
  for (const pod of wanted.pods.values()) {
    const message = conflictMessage(wanted.spec, pod.namespace, users);
    recorder.event(pod, "Warning", "FailedAttachVolume", message);
  }
}

function lookAgain(volume: string, node: string, delayMs: number, { queue }: Pick<AttachContext, "queue">): void {
  queue.addAfter(attachmentKey(volume, node), delayMs);
}
