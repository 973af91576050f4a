import {
  type ConfigMap,
  type CronJob,
  type DaemonSet,
  type Deployment,
  type Event,
  formatTime,
  type Job,
  type KubeObject,
  type LabelSelector,
  type Lease,
  type Node,
  parseTime,
  type Pod,
  type PodSpec,
  type PodTemplateSpec,
  type ReplicaSet,
  type ReplicationController,
  type Secret,
  type Service,
  type StatefulSet,
} from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { selectorText } from "../selector_text.ts";
import { ageOf, humanDuration } from "./age.ts";
import { podReadyText, podRestartsText, podStatusText } from "./pod_cells.ts";

/** One column that kubectl prints. */
export interface Column<T extends KubeObject = StoredObject> {
  readonly name: string;
  readonly type: "string" | "integer" | "date";
  readonly format: string;
  /** 0 is always shown, 1 with `-o wide`. */
  readonly priority: number;
  cell(object: T, nowMs: number): string | number;
}

type Cell<T extends KubeObject> = (object: T, nowMs: number) => string | number;

function text<T extends KubeObject>(name: string, cell: Cell<T>, priority = 0): Column<T> {
  return { name, type: "string", format: name === "Name" ? "name" : "", priority, cell };
}

function wide<T extends KubeObject>(name: string, cell: Cell<T>): Column<T> {
  return text(name, cell, 1);
}

function count<T extends KubeObject>(name: string, cell: (object: T) => number | undefined): Column<T> {
  return { name, type: "integer", format: "", priority: 0, cell: (object) => cell(object) ?? 0 };
}

const NAME = text("Name", ({ metadata }) => metadata?.name ?? "");
const AGE = text("Age", ({ metadata }, nowMs) => ageOf(metadata?.creationTimestamp, nowMs));

const NONE = "<none>";
const orNone = (value: string | undefined) => value || NONE;

type Workload =
  & { spec?: { template?: PodTemplateSpec; selector?: LabelSelector | Record<string, string> } }
  & KubeObject;

function podSpecColumns<T extends KubeObject>(podSpec: (object: T) => PodSpec | undefined): Column<T>[] {
  const list = (object: T, field: "name" | "image") =>
    podSpec(object)?.containers?.map((one) => one[field] ?? "").join(",") ?? "";
  return [wide("Containers", (object) => list(object, "name")), wide("Images", (object) => list(object, "image"))];
}

const TEMPLATE = podSpecColumns<Workload>(({ spec }) => spec?.template?.spec);
const SELECTOR = wide<Workload>("Selector", ({ spec }) => orNone(selectorText(spec?.selector)));

const pod: Column<Pod>[] = [
  NAME,
  text("Ready", podReadyText),
  text("Status", podStatusText),
  text("Restarts", podRestartsText),
  AGE,
  wide("IP", ({ status }) => orNone(status?.podIP)),
  wide("Node", ({ spec }) => orNone(spec?.nodeName)),
  wide("Nominated Node", ({ status }) => orNone(status?.nominatedNodeName)),
  wide("Readiness Gates", ({ spec }) => spec?.readinessGates?.length ? String(spec.readinessGates.length) : NONE),
];

const deployment: Column<Deployment>[] = [
  NAME,
  text("Ready", ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`),
  count("Up-to-date", ({ status }) => status?.updatedReplicas),
  count("Available", ({ status }) => status?.availableReplicas),
  AGE,
  ...TEMPLATE,
  SELECTOR,
];

const replicaSet: Column<ReplicaSet & ReplicationController>[] = [
  NAME,
  count("Desired", ({ spec }) => spec?.replicas),
  count("Current", ({ status }) => status?.replicas),
  count("Ready", ({ status }) => status?.readyReplicas),
  AGE,
  ...TEMPLATE,
  SELECTOR,
];

const statefulSet: Column<StatefulSet>[] = [
  NAME,
  text("Ready", ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`),
  AGE,
  ...TEMPLATE,
];

const daemonSet: Column<DaemonSet>[] = [
  NAME,
  count("Desired", ({ status }) => status?.desiredNumberScheduled),
  count("Current", ({ status }) => status?.currentNumberScheduled),
  count("Ready", ({ status }) => status?.numberReady),
  count("Up-to-date", ({ status }) => status?.updatedNumberScheduled),
  count("Available", ({ status }) => status?.numberAvailable),
  text("Node Selector", ({ spec }) => orNone(selectorText(spec?.template?.spec?.nodeSelector))),
  AGE,
  ...TEMPLATE,
  SELECTOR,
];

function jobStatusText({ spec, status, metadata }: Job): string {
  const has = (type: string) => status?.conditions?.some((one) => one.type === type && one.status === "True");
  if (has("Complete")) return "Complete";
  if (has("Failed")) return "Failed";
  if (metadata?.deletionTimestamp) return "Terminating";
  if (spec?.suspend) return "Suspended";
  return has("FailureTarget") ? "FailureTarget" : has("SuccessCriteriaMet") ? "SuccessCriteriaMet" : "Running";
}

const job: Column<Job>[] = [
  NAME,
  text("Status", jobStatusText),
  text("Completions", ({ spec, status }) => `${status?.succeeded ?? 0}/${spec?.completions ?? spec?.parallelism ?? 1}`),
  text("Duration", ({ status }, nowMs) => {
    if (!status?.startTime) return "";
    return humanDuration(parseTime(status.completionTime ?? formatTime(nowMs)) - parseTime(status.startTime));
  }),
  AGE,
  ...TEMPLATE,
  SELECTOR,
];

const cronJob: Column<CronJob>[] = [
  NAME,
  text("Schedule", ({ spec }) => spec?.schedule ?? ""),
  text("Timezone", ({ spec }) => orNone(spec?.timeZone)),
  text("Suspend", ({ spec }) => spec?.suspend ? "True" : "False"),
  count("Active", ({ status }) => status?.active?.length),
  text("Last Schedule", ({ status }, nowMs) => status?.lastScheduleTime ? ageOf(status.lastScheduleTime, nowMs) : NONE),
  AGE,
  ...podSpecColumns<CronJob>(({ spec }) => spec?.jobTemplate?.spec?.template?.spec),
];

const service: Column<Service>[] = [
  NAME,
  text("Type", ({ spec }) => spec?.type ?? ""),
  text("Cluster-IP", ({ spec }) => orNone(spec?.clusterIP)),
  text("External-IP", ({ spec, status }) => {
    const ingress = status?.loadBalancer?.ingress?.map(({ ip, hostname }) => ip ?? hostname ?? "").join(",");
    if (spec?.type === "ExternalName") return spec.externalName ?? "";
    return ingress || (spec?.externalIPs?.join(",") ?? (spec?.type === "LoadBalancer" ? "<pending>" : NONE));
  }),
  text("Port(s)", ({ spec }) => {
    const ports = spec?.ports?.map(({ port, nodePort, protocol }) =>
      `${port}${nodePort ? `:${nodePort}` : ""}/${protocol}`
    );
    return orNone(ports?.join(","));
  }),
  AGE,
  wide("Selector", ({ spec }) => orNone(selectorText(spec?.selector))),
];

const ROLE = "node-role.kubernetes.io/";

const node: Column<Node>[] = [
  NAME,
  text("Status", ({ spec, status }) => {
    const ready = status?.conditions?.find(({ type }) => type === "Ready")?.status;
    const text = ready === "True" ? "Ready" : ready === undefined ? "Unknown" : "NotReady";
    return spec?.unschedulable ? `${text},SchedulingDisabled` : text;
  }),
  text("Roles", ({ metadata }) => {
    const roles = Object.keys(metadata?.labels ?? {}).filter((key) => key.startsWith(ROLE));
    return orNone(roles.map((key) => key.slice(ROLE.length)).sort().join(","));
  }),
  AGE,
  text("Version", ({ status }) => status?.nodeInfo?.kubeletVersion ?? ""),
  wide("Internal-IP", ({ status }) => orNone(status?.addresses?.find(({ type }) => type === "InternalIP")?.address)),
  wide("External-IP", ({ status }) => orNone(status?.addresses?.find(({ type }) => type === "ExternalIP")?.address)),
  wide("OS-Image", ({ status }) => status?.nodeInfo?.osImage || "<unknown>"),
  wide("Kernel-Version", ({ status }) => status?.nodeInfo?.kernelVersion || "<unknown>"),
  wide("Container-Runtime", ({ status }) => status?.nodeInfo?.containerRuntimeVersion || "<unknown>"),
];

const event: Column<Event>[] = [
  text(
    "Last Seen",
    ({ lastTimestamp, firstTimestamp, eventTime, metadata }, nowMs) =>
      ageOf(lastTimestamp ?? firstTimestamp ?? eventTime ?? metadata?.creationTimestamp, nowMs),
  ),
  text("Type", ({ type }) => type ?? ""),
  text("Reason", ({ reason }) => reason ?? ""),
  text("Object", ({ involvedObject: { kind = "", name = "" } }) => `${kind.toLowerCase()}/${name}`),
  wide("Subobject", ({ involvedObject }) => involvedObject.fieldPath ?? ""),
  wide(
    "Source",
    ({ source, reportingComponent }) =>
      [source?.component ?? reportingComponent, source?.host].filter(Boolean).join(", "),
  ),
  text("Message", ({ message }) => (message ?? "").trim()),
  wide("First Seen", ({ firstTimestamp, eventTime }, nowMs) => ageOf(firstTimestamp ?? eventTime, nowMs)),
  wide("Count", ({ count = 1 }) => count),
  wide("Name", ({ metadata }) => metadata?.name ?? ""),
];

const keysOf = (...maps: (object | undefined)[]) => maps.reduce((sum, map) => sum + Object.keys(map ?? {}).length, 0);

/** The columns of the kinds that have their own, by `plural.group`. */
export const COLUMNS: Readonly<Record<string, readonly Column<never>[] | undefined>> = {
  "pods": pod,
  "deployments.apps": deployment,
  "replicasets.apps": replicaSet,
  "replicationcontrollers": replicaSet,
  "statefulsets.apps": statefulSet,
  "daemonsets.apps": daemonSet,
  "jobs.batch": job,
  "cronjobs.batch": cronJob,
  "services": service,
  "nodes": node,
  "events": event,
  "namespaces": [NAME, text<Pod>("Status", ({ status }) => status?.phase ?? ""), AGE],
  "configmaps": [NAME, count<ConfigMap>("Data", ({ data, binaryData }) => keysOf(data, binaryData)), AGE],
  "secrets": [
    NAME,
    text<Secret>("Type", ({ type }) => type ?? ""),
    count<Secret>("Data", ({ data }) => keysOf(data)),
    AGE,
  ],
  "serviceaccounts": [NAME, AGE],
  "leases.coordination.k8s.io": [NAME, text<Lease>("Holder", ({ spec }) => spec?.holderIdentity ?? ""), AGE],
};

/** What kinds without columns of their own show. */
export const DEFAULT_COLUMNS: readonly Column[] = [
  NAME,
  {
    name: "Created At",
    type: "date",
    format: "",
    priority: 0,
    cell: ({ metadata }) => metadata.creationTimestamp ?? "",
  },
];

/** What custom resources without printer columns show. */
export const CUSTOM_COLUMNS: readonly Column[] = [NAME, AGE];
