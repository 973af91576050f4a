import { type OwnerReference, parseApiVersion } from "../../api/mod.ts";
import type { GraphView, NodeView } from "./graph.ts";
import type { Coordinates } from "./identity.ts";

/** The content type of {@link graphvizText}. */
export const GRAPHVIZ_CONTENT_TYPE = "text/vnd.graphviz";

interface Vertex {
  readonly coordinates: Coordinates;
  readonly namespace: string;
  readonly beingDeleted: boolean;
  readonly deletingDependents: boolean;
  readonly virtual: boolean;
  readonly missingFromGraph: boolean;
}

/**
 * The graph in DOT, for the debug endpoint: objects that own or are owned, with an edge from each to its owners.
 * Upstream: `pkg/controller/garbagecollector/dump.go`.
 *
 * One step per object or reference; the graph may change between steps.
 *
 * @param options.uids Only what is connected with these objects; everything if empty.
 *
 * @example
 * ```ts
 * import { Graph, graphvizText } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(graphvizText(new Graph()).next().value, "strict digraph full {\n}\n");
 * ```
 */
export function* graphvizText(
  graph: GraphView,
  { uids = [] }: { uids?: readonly string[] } = {},
): Generator<void, string> {
  const vertices = new Map<string, string>();
  let edges = "";
  for (const node of uids.length > 0 ? yield* connectedWith(graph, uids) : graph.nodes()) {
    yield;
    if (node.owners.length === 0 && node.dependents.size === 0) continue;
    const { identity: { uid }, owners } = node;
    vertices.set(uid, vertexText(vertexOf(node)));
    for (const owner of owners) {
      yield;
      if (!graph.get(owner.uid) && !vertices.has(owner.uid)) vertices.set(owner.uid, vertexText(missingVertex(owner)));
      edges += `  ${quote(uid)} -> ${quote(owner.uid)};\n`;
    }
  }
  let text = "strict digraph full {\n";
  for (const vertex of vertices.values()) {
    yield;
    text += vertex;
  }
  return `${text}${edges}}\n`;
}

function* connectedWith(graph: GraphView, uids: readonly string[]): Generator<void, Set<NodeView>> {
  const connected = new Set<NodeView>();
  const pending = [...uids];
  for (let uid = pending.pop(); uid !== undefined; uid = pending.pop()) {
    yield;
    const node = graph.get(uid);
    if (!node || connected.has(node)) continue;
    connected.add(node);
    for (const { uid } of node.owners) {
      yield;
      pending.push(uid);
    }
    for (const { identity } of node.dependents) {
      yield;
      pending.push(identity.uid);
    }
  }
  return connected;
}

function vertexOf({ identity, beingDeleted, deletingDependents, virtual }: NodeView): Vertex {
  const { namespace } = identity;
  return { coordinates: identity, namespace, beingDeleted, deletingDependents, virtual, missingFromGraph: false };
}

function missingVertex(reference: OwnerReference): Vertex {
  const none = { beingDeleted: false, deletingDependents: false, virtual: false };
  return { coordinates: reference, namespace: "", ...none, missingFromGraph: true };
}

function vertexText(vertex: Vertex): string {
  const { coordinates: { apiVersion, kind, name, uid }, namespace } = vertex;
  const { group, version } = groupVersionOf(apiVersion);
  const flags = (["beingDeleted", "deletingDependents", "virtual", "missingFromGraph"] as const)
    .filter((flag) => vertex[flag]).join(",");
  const kubectlName = `${kind}.${version}${group && `.${group}`}/${name}`;
  const attributes = {
    label: `uid=${uid}\nnamespace=${namespace}\n${kubectlName}\n${flags && `${flags}\n`}`,
    group,
    version,
    kind,
    namespace,
    name,
    uid,
    missing: vertex.missingFromGraph,
    beingDeleted: vertex.beingDeleted,
    deletingDependents: vertex.deletingDependents,
    virtual: vertex.virtual,
  };
  const lines = Object.entries(attributes).map(([key, value]) => `    ${key}=${quote(String(value))}\n`);
  return `  ${quote(uid)} [\n${lines.join("")}  ];\n`;
}

/** A broken apiVersion in a reference is shown, not thrown. */
function groupVersionOf(apiVersion: string): { group: string; version: string } {
  try {
    return parseApiVersion(apiVersion);
  } catch {
    return { group: "", version: apiVersion };
  }
}

function quote(text: string): string {
  return JSON.stringify(text);
}
