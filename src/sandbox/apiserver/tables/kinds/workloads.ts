import {
  type ControllerRevision,
  type CronJob,
  type DaemonSet,
  type Deployment,
  isConditionTrue,
  type Job,
  type KubeObject,
  parseApiVersion,
  parseTime,
  type ReplicaSet,
  type ReplicationController,
  type StatefulSet,
} from "../../../../api/mod.ts";
import { selectorText } from "../../base/mod.ts";
import {
  AGE,
  ageOf,
  type Column,
  containerColumns,
  humanDuration,
  integer,
  NAME,
  NONE,
  SELECTOR_COLUMN,
  selectorCell,
  TEMPLATE_COLUMNS,
  text,
  wide,
} from "../columns/mod.ts";

interface Scaled extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly readyReplicas?: number };
}

function readyOfWanted({ spec, status }: Scaled): string {
  return `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`;
}

export const deployments: readonly Column<Deployment>[] = [
  NAME,
  text("Ready", readyOfWanted),
  text("Up-to-date", "status.updatedReplicas", 0),
  text("Available", "status.availableReplicas", 0),
  AGE,
  ...TEMPLATE_COLUMNS,
  wide("Selector", ({ spec }) => selectorText(spec?.selector)),
];

export const replicaSets: readonly Column<ReplicaSet & ReplicationController>[] = [
  NAME,
  integer("Desired", "spec.replicas"),
  integer("Current", "status.replicas"),
  integer("Ready", "status.readyReplicas"),
  AGE,
  ...TEMPLATE_COLUMNS,
  SELECTOR_COLUMN,
];

export const statefulSets: readonly Column<StatefulSet>[] = [
  NAME,
  text("Ready", readyOfWanted),
  AGE,
  ...TEMPLATE_COLUMNS,
];

export const daemonSets: readonly Column<DaemonSet>[] = [
  NAME,
  integer("Desired", "status.desiredNumberScheduled"),
  integer("Current", "status.currentNumberScheduled"),
  integer("Ready", "status.numberReady"),
  integer("Up-to-date", "status.updatedNumberScheduled"),
  integer("Available", "status.numberAvailable"),
  text("Node Selector", ({ spec }) => selectorCell(spec?.template?.spec?.nodeSelector)),
  AGE,
  ...TEMPLATE_COLUMNS,
  SELECTOR_COLUMN,
];

function controllerText({ metadata }: ControllerRevision): string {
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller);
  if (!owner) return NONE;
  const { group } = parseApiVersion(owner.apiVersion);
  return `${owner.kind}${group ? `.${group}` : ""}`.toLowerCase() + `/${owner.name}`;
}

export const controllerRevisions: readonly Column<ControllerRevision>[] = [
  NAME,
  text("Controller", controllerText),
  text("Revision", "revision", 0),
  AGE,
];

/** The first state that holds; if none does, the job is running. All but one are conditions. */
const JOB_STATES = ["Complete", "Failed", "Terminating", "Suspended", "FailureTarget", "SuccessCriteriaMet"];

function jobState({ metadata, status }: Job): string {
  const holds = (state: string) =>
    state === "Terminating" ? metadata?.deletionTimestamp !== undefined : isConditionTrue(status?.conditions, state);
  return JOB_STATES.find(holds) ?? "Running";
}

function completionsText({ spec, status }: Job): string {
  const done = status?.succeeded ?? 0;
  const { completions, parallelism = 0 } = spec ?? {};
  if (completions !== undefined) return `${done}/${completions}`;
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

function jobDuration({ status }: Job, nowMs: number): string {
  if (!status?.startTime) return "";
  const endMs = status.completionTime ? parseTime(status.completionTime) : nowMs;
  return humanDuration(endMs - parseTime(status.startTime));
}

export const jobs: readonly Column<Job>[] = [
  NAME,
  text("Status", jobState),
  text("Completions", completionsText),
  text("Duration", jobDuration),
  AGE,
  ...TEMPLATE_COLUMNS,
  SELECTOR_COLUMN,
];

export const cronJobs: readonly Column<CronJob>[] = [
  NAME,
  text("Schedule", "spec.schedule"),
  text("Timezone", "spec.timeZone", NONE),
  { ...text("Suspend", ({ spec }) => spec?.suspend ? "True" : "False"), type: "boolean" },
  integer("Active", "status.active.length"),
  text("Last Schedule", ({ status }, nowMs) => status?.lastScheduleTime ? ageOf(status.lastScheduleTime, nowMs) : NONE),
  AGE,
  ...containerColumns<CronJob>(({ spec }) => spec?.jobTemplate?.spec?.template?.spec),
  wide("Selector", ({ spec }) => selectorCell(spec?.jobTemplate?.spec?.selector)),
];
