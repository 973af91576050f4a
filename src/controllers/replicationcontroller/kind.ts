import { type LabelSelector, type ReplicationController, REPLICATIONCONTROLLERS } from "../../api/mod.ts";
import type { ReplicaKind } from "../replicaset/mod.ts";

type Labels = Readonly<Record<string, string>>;

/** Selectors by their labels. Cached objects never change, so each is built and parsed once. */
const selectors = new WeakMap<Labels, LabelSelector>();

/** ReplicationControllers. */
export const REPLICATIONCONTROLLER_KIND: ReplicaKind<ReplicationController> = {
  resource: REPLICATIONCONTROLLERS,
  controllerName: "replicationcontroller-controller",
  component: "replication-controller",
  queueName: "replicationmanager",
  replicasOf: ({ spec }) => spec?.replicas ?? 1, // the API server's default
  minReadySecondsOf: ({ spec }) => spec?.minReadySeconds ?? 0,
  selectorOf: ({ spec }) => spec?.selector && selectorOfLabels(spec.selector),
  templateOf: ({ spec }) => spec?.template,
  countsTerminating: false,
};

function selectorOfLabels(labels: Labels): LabelSelector {
  let selector = selectors.get(labels);
  if (!selector) selectors.set(labels, selector = { matchLabels: { ...labels } });
  return selector;
}
