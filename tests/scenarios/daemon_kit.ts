/** What scenarios of DaemonSets begin with, and what they wait for. */
import { type DaemonSet, DAEMONSETS, type DaemonSetSpec, type Pod } from "../../src/api/mod.ts";
import { type Kit, podTemplate } from "./kit.ts";
import { settledPods } from "./set_kit.ts";

/** What a DaemonSet may have besides what every one has. */
export type DaemonOptions = { image?: string } & Partial<DaemonSetSpec>;

/** A DaemonSet of one nginx container. */
export function daemonSet(name: string, { image = "nginx:1", ...spec }: DaemonOptions = {}): DaemonSet {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name, labels: { app: name } },
    spec: { selector: { matchLabels: { app: name } }, template: podTemplate(name, image), ...spec },
  };
}

export const rolling = (maxUnavailable: number | string, maxSurge: number | string = 0) => ({
  type: "RollingUpdate",
  rollingUpdate: { maxUnavailable, maxSurge },
});

export function setDaemonImage(kit: Kit, image: string): Promise<DaemonSet> {
  return kit.merge(DAEMONSETS, "a", { spec: { template: { spec: { containers: [{ name: "c", image }] } } } });
}

/** Waits until every node that is to have a pod has a new one that serves, and nothing of it is still ending. */
export async function daemonsRolledOut(kit: Kit, wanted?: number): Promise<void> {
  const isDone = ({ metadata, status }: DaemonSet) => {
    const desired = status?.desiredNumberScheduled ?? 0;
    return status?.observedGeneration === metadata?.generation && (wanted === undefined || desired === wanted) &&
      (status?.updatedNumberScheduled ?? 0) === desired && (status?.numberAvailable ?? 0) === desired &&
      status?.currentNumberScheduled === desired;
  };
  await kit.until(DAEMONSETS, "a", "is rolled out", isDone);
  await settledPods(kit);
  await kit.until(DAEMONSETS, "a", "is still rolled out", isDone);
}

/** Makes the DaemonSet `a`, and waits until it is rolled out; to so many nodes, if that is said. */
export async function rollOutDaemons(kit: Kit, options: DaemonOptions = {}, wanted?: number): Promise<void> {
  await kit.create(DAEMONSETS, daemonSet("a", options));
  await daemonsRolledOut(kit, wanted);
}

/** Names of the nodes that pods run on. */
export function nodesOf(pods: readonly Pod[]): string {
  return pods.map(({ spec }) => spec?.nodeName ?? "").sort().join();
}
