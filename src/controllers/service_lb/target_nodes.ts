import { deepEqual } from "../../base/mod.ts";
import type { Node } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import { forCloud } from "../../cloud/mod.ts";

const EXCLUDE_LABEL = "node.kubernetes.io/exclude-from-external-load-balancers";
/** The autoscaler's taint on nodes that it is about to remove. */
const TO_BE_DELETED_TAINT = "ToBeDeletedByClusterAutoscaler";
/** The texts that Go parses as false. */
const FALSE_TEXTS: ReadonlySet<string> = new Set(["0", "f", "F", "false", "FALSE", "False"]);

/** Nodes that balancers send traffic to. */
export interface TargetSet {
  /** In order of name, with only the fields that clouds may see. */
  readonly nodes: readonly Node[];
  /** Their provider IDs by name, which identify the set. */
  readonly ids: Readonly<Record<string, string>>;
}

/** Whether balancers may use the node at all; a malformed label excludes it. */
function isIncluded({ metadata }: Node): boolean {
  const value = metadata?.labels?.[EXCLUDE_LABEL];
  return value === undefined || FALSE_TEXTS.has(value);
}

/** Whether balancers send traffic to the node. An unready node stays, because health checks handle it. */
function isTarget(node: Node): boolean {
  return !node.metadata?.deletionTimestamp && isIncluded(node) &&
    !node.spec?.taints?.some(({ key }) => key === TO_BE_DELETED_TAINT);
}

/** Whether a change of a node affects the balancers' targets. Upstream: shouldSyncUpdatedNode. */
export function changesTargets(before: Node, node: Node): boolean {
  return isIncluded(before) !== isIncluded(node) ||
    (before.spec?.providerID ?? "") !== (node.spec?.providerID ?? "");
}

/** Whether the cloud need not be told. */
export function isSameSet(a: TargetSet | undefined, b: TargetSet): boolean {
  return deepEqual(a?.ids ?? {}, b.ids);
}

/**
 * The balancers' target nodes, recomputed only after a node has changed, because thousands of Services use them. Sets
 * with the same provider IDs share these, so that comparing them is cheap.
 */
export class TargetNodes {
  readonly #nodes: Pick<Lister<Node>, "list">;
  #set: TargetSet | undefined;
  #isStale = true;

  constructor(nodes: Pick<Lister<Node>, "list">) {
    this.#nodes = nodes;
  }

  /** Reports any change of a node. */
  changed(): void {
    this.#isStale = true;
  }

  get current(): TargetSet {
    if (!this.#isStale && this.#set) return this.#set;
    const nodes = this.#nodes.list().filter(isTarget).sort(byName).map(forCloud);
    const ids = Object.fromEntries(nodes.map(({ metadata, spec }) => [metadata?.name ?? "", spec?.providerID ?? ""]));
    const set = { nodes, ids };
    this.#isStale = false;
    return this.#set = this.#set && isSameSet(this.#set, set) ? { nodes, ids: this.#set.ids } : set;
  }
}

function byName(a: Node, b: Node): number {
  const [left, right] = [a.metadata?.name ?? "", b.metadata?.name ?? ""];
  return left < right ? -1 : left > right ? 1 : 0;
}
