import { formatDuration, formatTime, type Node, type ObjectMeta, type Pod, type Quantity } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import { methodNotAllowed, notFound, pathNotFound } from "../apiserver/mod.ts";
import { Measurements, sumOf } from "./measurements.ts";
import { fieldsParameter, labelsParameter } from "./selectors.ts";
import type { ListedResource, MetricsGroup, MetricsQuery } from "./served_metrics.ts";
import type { UsageSettings } from "./usage_settings.ts";
import { type UsageRow, usageTable } from "./usage_table.ts";

const GROUP = "metrics.k8s.io";
const API_VERSION = `${GROUP}/v1beta1`;
const VERBS = ["get", "list"];

/** The names of missing objects, and of those without metrics, in errors. */
const PODS = { group: "", plural: "pods", kind: "Pod" };
const NODES = { group: "", plural: "node", kind: "Node" };
const POD_METRICS = { group: GROUP, plural: "podmetrics", kind: "PodMetrics" };
const NODE_METRICS = { group: GROUP, plural: "nodemetrics", kind: "NodeMetrics" };

/** `metrics.k8s.io`: the usage of pods and nodes. Upstream: metrics-server's `pkg/api`. */
export class ResourceMetrics implements MetricsGroup {
  readonly group = GROUP;
  readonly versions = ["v1beta1"];
  readonly #world: World;
  readonly #pods: Lister<Pod>;
  readonly #nodes: Lister<Node>;
  readonly #measurements: Measurements;

  constructor(options: {
    readonly world: World;
    readonly pods: Lister<Pod>;
    readonly nodes: Lister<Node>;
    readonly settings: UsageSettings;
  }) {
    this.#world = options.world;
    this.#pods = options.pods;
    this.#nodes = options.nodes;
    this.#measurements = new Measurements(options);
  }

  readonly resources = (): readonly ListedResource[] => [
    { name: "nodes", namespaced: false, kind: "NodeMetrics", verbs: VERBS },
    { name: "pods", namespaced: true, kind: "PodMetrics", verbs: VERBS },
  ];

  read({ path, parameters, wantsTable }: MetricsQuery): object {
    const inNamespace = path[0] === "namespaces" && path.length > 2;
    const [resource, name, ...more] = inNamespace ? path.slice(2) : path;
    const namespace = inNamespace ? path[1] : undefined;
    const isKnown = resource === "pods" || (resource === "nodes" && !inNamespace);
    if (!isKnown || more.length > 0 || (resource === "pods" && name !== undefined && !inNamespace)) {
      throw pathNotFound();
    }
    if (/^(?!0$|false$)/i.test(parameters.get("watch") ?? "0")) throw methodNotAllowed();
    const kind = resource === "pods" ? "PodMetrics" : "NodeMetrics";
    if (name !== undefined) {
      const row = resource === "pods" ? this.#pod(namespace!, name) : this.#node(name);
      return wantsTable ? usageTable([row]) : { kind, apiVersion: API_VERSION, ...row.object };
    }
    const rows = resource === "pods" ? this.#listPods(namespace, parameters) : this.#listNodes(parameters);
    if (wantsTable) return usageTable(rows);
    return { kind: `${kind}List`, apiVersion: API_VERSION, metadata: {}, items: rows.map(({ object }) => object) };
  }

  #pod(namespace: string, name: string): UsageRow {
    const pod = this.#pods.get(namespace, name);
    if (!pod) throw notFound(PODS, name);
    const row = this.#podRow(pod);
    if (!row) throw notFound(POD_METRICS, `${namespace}/${name}`);
    return row;
  }

  #node(name: string): UsageRow {
    const node = this.#nodes.get(undefined, name);
    if (!node) throw notFound(NODES, name);
    const row = this.#nodeRows([node])[0];
    if (!row) throw notFound(NODE_METRICS, name);
    return row;
  }

  #listPods(namespace: string | undefined, parameters: URLSearchParams): UsageRow[] {
    const selector = labelsParameter(parameters);
    const fields = fieldsParameter(parameters);
    const pods = this.#pods.list({ namespace, selector }).filter((pod) => fields.matches(fieldOf(pod)));
    return sorted(pods.map((pod) => this.#podRow(pod)));
  }

  #listNodes(parameters: URLSearchParams): UsageRow[] {
    const selector = labelsParameter(parameters);
    const fields = fieldsParameter(parameters);
    const nodes = this.#nodes.list({ selector }).filter((node) => fields.matches(fieldOf(node)));
    return sorted(this.#nodeRows(nodes));
  }

  #podRow(pod: Pod): UsageRow | undefined {
    const measured = this.#measurements.ofPod(pod);
    if (!measured) return undefined;
    const containers = measured.containers.map(({ name, usage }) => ({ name, usage: usageText(usage) }));
    const usage = sumOf(measured.containers.map((container) => container.usage));
    return {
      object: { ...this.#head(pod.metadata, measured), containers },
      windowMs: measured.windowMs,
      usage,
    };
  }

  #nodeRows(nodes: readonly Node[]): (UsageRow | undefined)[] {
    const podsByNode = this.#measurements.podsByNode();
    return nodes.map((node) => {
      const measured = this.#measurements.ofNode(node, podsByNode);
      if (!measured) return undefined;
      const { usage, windowMs } = measured;
      return { object: { ...this.#head(node.metadata, measured), usage: usageText(usage) }, windowMs, usage };
    });
  }

  #head(
    { name, namespace, labels }: ObjectMeta = {},
    { atMs, windowMs }: { readonly atMs: number; readonly windowMs: number },
  ): UsageRow["object"] {
    const creationTimestamp = formatTime(this.#world.clock.wallMs());
    const metadata: ObjectMeta = { name, ...namespace ? { namespace } : {}, creationTimestamp };
    if (labels) metadata.labels = labels;
    return { metadata, timestamp: formatTime(atMs), window: formatDuration(windowMs) };
  }
}

function fieldOf({ metadata }: Pod | Node): (path: string) => string {
  return (path) => (path === "metadata.name" ? metadata?.name : metadata?.namespace) ?? "";
}

function usageText(usage: ReadonlyMap<string, Quantity>): Record<string, string> {
  return Object.fromEntries([...usage].map(([name, amount]) => [name, amount.toString()]));
}

function sorted(rows: readonly (UsageRow | undefined)[]): UsageRow[] {
  const key = ({ object: { metadata } }: UsageRow) => `${metadata.namespace ?? ""}/${metadata.name}`;
  return rows.filter((row) => row !== undefined).sort((a, b) => key(a) < key(b) ? -1 : 1);
}
