import {
  type ComponentStatus,
  type ConfigMap,
  type Endpoints,
  type Event,
  findCondition,
  type Node,
  type PodTemplate,
  type ResourceQuota,
  type Secret,
} from "../../../../api/mod.ts";
import {
  AGE,
  ageOf,
  type Column,
  entryCount,
  firstOf,
  NAME,
  NONE,
  orNone,
  selectorCell,
  sortedSet,
  text,
  UNKNOWN,
  wide,
} from "../columns/mod.ts";

const ROLE_PREFIX = "node-role.kubernetes.io/";
const ROLE_LABEL = "kubernetes.io/role";

function nodeStatus({ spec, status }: Node): string {
  const ready = status?.conditions?.findLast(({ type }) => type === "Ready")?.status;
  const state = ready === undefined ? "Unknown" : ready === "True" ? "Ready" : "NotReady";
  return spec?.unschedulable ? `${state},SchedulingDisabled` : state;
}

function nodeRoles({ metadata }: Node): string {
  const roles = Object.entries(metadata?.labels ?? {}).map(([key, value]) =>
    key.startsWith(ROLE_PREFIX) ? key.slice(ROLE_PREFIX.length) : key === ROLE_LABEL ? value : ""
  );
  return orNone(sortedSet(roles.filter((role) => role !== "")).join(","));
}

function nodeAddress({ status }: Node, wanted: string): string {
  return status?.addresses?.find(({ type }) => type === wanted)?.address ?? NONE;
}

function kernelText({ status }: Node): string {
  const { kernelVersion, architecture } = status?.nodeInfo ?? {};
  return `${kernelVersion || UNKNOWN}${architecture ? ` (${architecture})` : ""}`;
}

export const nodes: readonly Column<Node>[] = [
  NAME,
  text("Status", nodeStatus),
  text("Roles", nodeRoles),
  AGE,
  text("Version", "status.nodeInfo.kubeletVersion"),
  wide("Internal-IP", (node) => nodeAddress(node, "InternalIP")),
  wide("External-IP", (node) => nodeAddress(node, "ExternalIP")),
  wide("OS-Image", "status.nodeInfo.osImage", UNKNOWN),
  wide("Kernel-Version", kernelText),
  wide("Container-Runtime", "status.nodeInfo.containerRuntimeVersion", UNKNOWN),
];

function eventTimes({ firstTimestamp, lastTimestamp, eventTime, series }: Event, nowMs: number) {
  const first = ageOf(firstTimestamp ?? eventTime, nowMs);
  const last = series ? ageOf(series.lastObservedTime, nowMs) : lastTimestamp ? ageOf(lastTimestamp, nowMs) : first;
  return { first, last };
}

function eventObject({ involvedObject }: Event): string {
  const { kind = "", name } = involvedObject ?? {};
  return name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase();
}

function eventSource({ source, reportingComponent, reportingInstance }: Event): string {
  const component = source?.component || reportingComponent || "";
  const instance = source?.host || reportingInstance;
  return instance ? `${component}, ${instance}` : component;
}

export const events: readonly Column<Event>[] = [
  text("Last Seen", (event, nowMs) => eventTimes(event, nowMs).last),
  text("Type", "type"),
  text("Reason", "reason"),
  text("Object", eventObject),
  wide("Subobject", "involvedObject.fieldPath"),
  wide("Source", eventSource),
  text("Message", ({ message }) => message?.trim()),
  wide("First Seen", (event, nowMs) => eventTimes(event, nowMs).first),
  wide("Count", ({ series, count }) => series ? series.count ?? 0 : count || 1),
  { ...NAME, priority: 1 },
];

/** All addresses in all subsets with each port. */
function endpointsText({ subsets }: Endpoints): string {
  if (!subsets?.length) return NONE;
  const all = subsets.flatMap(({ addresses = [], ports }) =>
    ports?.length
      ? ports.flatMap(({ port }) => addresses.map(({ ip }) => `${ip.includes(":") ? `[${ip}]` : ip}:${port}`))
      : addresses.map(({ ip }) => ip)
  );
  return firstOf(all, 3);
}

export const endpoints: readonly Column<Endpoints>[] = [NAME, text("Endpoints", endpointsText), AGE];

export const configMaps: readonly Column<ConfigMap>[] = [
  NAME,
  text("Data", ({ data, binaryData }) => entryCount(data, binaryData)),
  AGE,
];

export const secrets: readonly Column<Secret>[] = [
  NAME,
  text("Type", "type"),
  text("Data", ({ data }) => entryCount(data)),
  AGE,
];

/** `requests.cpu: 1/2, pods: 3/10`: used and hard amounts, either of limits or of everything else. */
const amounts = (limits: boolean) => ({ status }: ResourceQuota) => {
  const { hard = {}, used = {} } = status ?? {};
  return Object.keys(hard).sort().filter((name) => name.startsWith("limits.") === limits)
    .map((name) => `${name}: ${used[name] ?? "0"}/${hard[name]}`).join(", ");
};

export const resourceQuotas: readonly Column<ResourceQuota>[] = [
  NAME,
  text("Request", amounts(false)),
  text("Limit", amounts(true)),
  AGE,
];

export const podTemplates: readonly Column<PodTemplate>[] = [
  NAME,
  text("Containers", ({ template }) => template?.spec?.containers?.map(({ name }) => name).join(",")),
  text("Images", ({ template }) => template?.spec?.containers?.map(({ image = "" }) => image).join(",")),
  text("Pod Labels", ({ template }) => selectorCell(template?.metadata?.labels)),
];

const health = ({ conditions }: ComponentStatus) => findCondition(conditions, "Healthy");

export const componentStatuses: readonly Column<ComponentStatus>[] = [
  NAME,
  text("Status", (component) => {
    const status = health(component)?.status;
    return status === undefined ? "Unknown" : status === "True" ? "Healthy" : "Unhealthy";
  }),
  text("Message", (component) => health(component)?.message),
  text("Error", (component) => health(component)?.error),
];
