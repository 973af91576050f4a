/** What a namespace holds, with everything that may differ between two runs replaced by a stand-in. */
import {
  CONFIGMAPS,
  DEPLOYMENTS,
  type Event,
  EVENTS,
  type KubeObject,
  NAMESPACES,
  type PodGroup,
  PODS,
  REPLICASETS,
  type Resource,
  type Secret,
  SERVICEACCOUNTS,
} from "../../src/api/mod.ts";
import { type Client, isNotFound } from "../../src/client/mod.ts";

const COMPARED: readonly Resource[] = [DEPLOYMENTS, REPLICASETS, PODS, CONFIGMAPS, SERVICEACCOUNTS];

/** Normalised objects of a namespace, and which events its objects got. */
export interface Snapshot {
  readonly objects: readonly unknown[];
  readonly events: readonly string[];
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
/** What a CronJob names its Jobs by. */
const MINUTES_SINCE_1970 = /-\d{8}\b/g;

const UID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

export interface SnapshotOptions {
  /** What is read besides the usual resources. */
  readonly resources?: readonly Resource[];
  /** Texts of this cluster alone, and what stands for them. */
  readonly rename?: readonly (readonly [text: string, standIn: string])[];
}

/**
 * Reads and normalises all that the managers may have touched in `namespace`.
 */
export async function snapshot(
  client: Client,
  namespace: string,
  { resources = [], rename: more = [] }: SnapshotOptions = {},
): Promise<Snapshot> {
  const found: KubeObject[] = [];
  const space = await client.get(NAMESPACES, { name: namespace }).catch((error) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (space) found.push({ apiVersion: "v1", kind: "Namespace", ...space });
  for (const resource of [...COMPARED, ...resources]) {
    const { items } = await client.list<KubeObject>(resource, { namespace });
    found.push(...items.map((item) => ({ kind: resource.kind, ...item })));
  }
  const names = [...more, ...standIns(found, namespace)];
  const rename = remembering((text) =>
    names.reduce((renamed, [from, to]) => renamed.replaceAll(from, to), text)
      .replace(UID, "<uid of something gone>")
      // A pod that is gone, or was refused, is still named in messages.
      .replace(/(pods? "(?:[a-z0-9]+-)+)[a-z0-9]{5}"/g, '$1<random>"')
      .replace(/(pod: (?:[a-z0-9]+-)+)[a-z0-9]{5}\b/g, "$1<random>")
      .replace(/(daemon pod \S+-)[a-z0-9]{5}\b/g, "$1<random>")
      .replace(/(v1 Pod (?:[a-z0-9]+-)+)[bcdf-hj-np-tv-xz24-9]{5}(?= )/g, "$1<random>")
      .replace(/(eletion (?:of )?Pod \S+-)[bcdf-hj-np-tv-xz24-9]{5}\b/g, "$1<random>")
      .replace(/(Created Workload )[^<\s]+/g, "$1<name of Workload>")
      // Upstream names them in the order of a hash.
      .replace(/(multiple HPAs: )\[([^\]]*)\]/, (_, text, keys) => `${text}[${keys.split(" ").sort().join(" ")}]`)
      .replace(/(Could not create route ).*( for node \S+ after )[^:]+/g, "$1<uid> <range>$2<time>")
      .replace(MINUTES_SINCE_1970, "-<minute>")
  );
  const objects = found.map((object) => inOrder(normalise(withoutTransients(withReadableToken(object)), rename)))
    .sort((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
  const { items: own } = await client.list(EVENTS, { namespace });
  const ofNodes = (await client.list(EVENTS, { namespace: "default" })).items.filter(({ involvedObject }) =>
    involvedObject?.kind === "Node" && involvedObject.name?.startsWith(`${namespace}.`)
  );
  const events = [...own, ...ofNodes];
  return { objects, events: [...new Set(events.filter(isFromManager).map((event) => rename(describe(event))))].sort() };
}

/** `rename`, which asks once for each text: objects have most of theirs in common. */
function remembering(rename: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const renamed = known.get(text) ?? rename(text);
    known.set(text, renamed);
    return renamed;
  };
}

/** Uids and generated names, longest first, with what stands for them. */
function standIns(objects: readonly KubeObject[], namespace: string): [string, string][] {
  const names: [string, string][] = [];
  for (const { kind, metadata, spec } of objects as readonly (KubeObject & { spec?: unknown })[]) {
    if (metadata?.uid) names.push([metadata.uid, `<uid of ${kind}>`]);
    const isNumbered = metadata?.labels?.["statefulset.kubernetes.io/pod-name"] === metadata?.name;
    if (metadata?.generateName && !isNumbered) names.push([metadata.name!, `${metadata.generateName}<random>`]);
    // They are named after a Job's uid.
    if (kind === "Workload" || kind === "PodGroup") names.push([metadata!.name!, `<name of ${kind}>`]);
    // A group may outlast its Workload.
    const workload = kind === "PodGroup" && (spec as PodGroup["spec"])?.podGroupTemplateRef?.workload?.workloadName;
    if (workload) names.push([workload, "<name of Workload>"]);
  }
  names.push([namespace, "<namespace>"]);
  return names.sort(([a], [b]) => b.length - a.length);
}

const JWT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

/** A Secret with an account's token, decoded; of the token what it says, and how long its signature is. */
function withReadableToken(object: KubeObject): KubeObject {
  const { type, data = {} } = object as Secret;
  if (type !== "kubernetes.io/service-account-token") return object;
  const entries = Object.entries(data).map(([key, value]) => [key, atob(value)]);
  const readable: Record<string, unknown> = Object.fromEntries(entries);
  const [, header, claims, signature] = JWT.exec(String(readable.token)) ?? [];
  const textIn = (part: string) => atob(part.replaceAll("-", "+").replaceAll("_", "/"));
  if (signature) {
    // Texts, since the order of the fields counts.
    readable.token = { header: textIn(header), claims: textIn(claims), signatureBytes: textIn(signature).length };
  }
  return { ...object, data: readable } as KubeObject;
}

const TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";

/**
 * Whether a write tells the time of a change depends on how many changes it is for, and on whether the cache showed the last write
 * already: a sync that has to wait for that has forgotten the time when it is tried again.
 */
function withoutTriggerTime(object: KubeObject): KubeObject {
  if (object.kind !== "Endpoints") return object;
  const isOther = (key: string, value: unknown) =>
    !key.endsWith(TRIGGER_TIME) && !(/^(f:)?annotations$/.test(key) && isBare(value));
  const bare = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(bare);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).filter(([key, each]) => isOther(key, each)).map(([k, v]) => [k, bare(v)]),
    );
  };
  return bare(object) as KubeObject;
}

/** Whether these annotations are none but that time. */
function isBare(annotations: unknown): boolean {
  return Object.keys(annotations as object).every((key) => key === "." || key.endsWith(TRIGGER_TIME));
}

/** Drops what says when and how often, and what only the server's clock decides. */
function withoutTransients(found: KubeObject): unknown {
  const object = withoutTriggerTime(found);
  const { metadata = {}, ...rest } = object;
  const { resourceVersion: _version, generation, managedFields = [], ...kept } = metadata;
  const status = (rest as { status?: { observedGeneration?: number } }).status;
  const observed = status?.observedGeneration === undefined ? {} : {
    status: { ...status, observedGeneration: status.observedGeneration === generation ? "<generation>" : "<older>" },
  };
  const managers = managedFields
    .map(({ manager, operation, subresource = "", fieldsV1 }) => ({
      manager,
      operation,
      subresource,
      fieldsV1: object.kind === "PodDisruptionBudget" ? withoutSharedTime(fieldsV1) : fieldsV1,
    }))
    .filter(({ manager }) => manager === "kube-controller-manager")
    .sort((a, b) => a.subresource < b.subresource ? -1 : 1);
  return { ...rest, ...observed, metadata: { ...kept, managers } };
}

/**
 * An eviction and the disruption controller write the same condition. Who wrote its time last owns it, but within the same
 * second it is no change.
 */
function withoutSharedTime(fields: unknown): unknown {
  return JSON.parse(JSON.stringify(fields, (key, value) => key === "f:lastTransitionTime" ? undefined : value));
}

/** Subsets of Endpoints are in the order of a hash, which goes by uids. */
function inOrder(object: unknown): unknown {
  const { subsets } = object as { subsets?: unknown };
  if (!Array.isArray(subsets)) return object;
  return { ...object as object, subsets: subsets.toSorted((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1) };
}

/** Addresses and service-account volume names are random too. */
function normalise(value: unknown, rename: (text: string) => string, key = ""): unknown {
  if (typeof value === "string") {
    if (TIME.test(value)) return "<time>";
    if (/IP$|^ip$/.test(key)) return "<ip>";
    if (key === "nodeName") return "<node>";
    if (key === "resourceVersion") return "<version>";
    if (key === "containerID" || key === "imageID") return "<id>";
    return rename(value).replace(/kube-api-access-\w{5}/, "kube-api-access-<random>");
  }
  if (Array.isArray(value)) return value.map((item) => normalise(item, rename, key));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([k, v]): [string, unknown] => [rename(k), normalise(v, rename, k)]);
  return Object.fromEntries(entries.sort(([a], [b]) => a < b ? -1 : 1));
}

const MANAGER_COMPONENTS = new Set([
  "deployment-controller",
  "replicaset-controller",
  "garbage-collector-controller",
  "kube-controller-manager",
  "job-controller",
  "cronjob-controller",
  "statefulset-controller",
  "daemonset-controller",
  "replication-controller",
  "controllermanager",
  "horizontal-pod-autoscaler",
  "ephemeral_volume",
  "resource_claim",
  "attachdetach-controller",
  "node-controller",
  "taint-eviction-controller",
  "endpoint-controller",
  "service-cidr-controller",
  "endpoint-slice-controller",
  "endpoint-slice-mirroring-controller",
  "persistentvolume-controller",
  "cloud-node-controller",
  "cloud-node-lifecycle-controller",
  "service-controller",
  "route_controller",
]);

function isFromManager({ source }: Event): boolean {
  return MANAGER_COMPONENTS.has(source?.component ?? "");
}

function describe(
  { involvedObject, type, reason, message, source, reportingComponent, reportingInstance }: Event,
): string {
  return `${involvedObject?.apiVersion} ${involvedObject?.kind} ${involvedObject?.name} ${type} ${reason} "${message}" ` +
    `from ${source?.component}, reported by ${reportingComponent}/${reportingInstance}`;
}
