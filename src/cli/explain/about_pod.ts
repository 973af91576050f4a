import { parseTime, type Pod } from "../../api/mod.ts";
import type { NodeFact, ObjectFacts } from "./facts.ts";
import type { Finding } from "./finding.ts";
import { ageText, agoText, counted, kubectlName, shellWord, type Wording } from "./wording.ts";

/** What a terminating pod waits for besides finalizers: the end of its containers. */
export function podFindings(
  facts: ObjectFacts,
  { pod, node }: { readonly pod: Pod; readonly node: NodeFact },
  wording: Wording,
): Finding[] {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata ?? {};
  // With no grace period left, the kubelet is done and only finalizers hold it.
  if (!deletionTimestamp || deletionGracePeriodSeconds === 0 || node.type === "none") return [];
  const command = `kubectl delete ${kubectlName(facts.resource, facts.object)} --grace-period=0 --force`;
  const forced = { text: "if its containers cannot run any more, delete the pod without waiting for them", command };
  const overdueMs = wording.nowMs - parseTime(deletionTimestamp);
  switch (node.type) {
    case "gone":
      return [{
        code: "NodeGone",
        level: "blocks",
        message: `its node ${node.name} does not exist, so that no kubelet says that it has ended; ` +
          "pod-garbage-collector-controller (kube-controller-manager) deletes such pods after 40 s",
        waitsFor: "kube-controller-manager",
        advice: { key: `node ${node.name}`, ...forced },
      }];
    case "notReady": {
      const since = node.since ? ` since ${agoText(node.since, wording)}` : "";
      return [{
        code: "NodeNotReady",
        level: "blocks",
        message: `its node ${node.name} is not ready${since}${node.reason ? ` (${node.reason})` : ""}: ` +
          "its kubelet cannot say that the containers have ended",
        waitsFor: `kubelet on ${node.name}`,
        advice: {
          key: `node ${node.name}`,
          text: `bring node ${node.name} back; if it is off for good, say so, and its pods are deleted`,
          command: `kubectl taint nodes ${
            shellWord(node.name)
          } node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`,
        },
      }];
    }
    default:
      return overdueMs < 0 ? [inGrace(-overdueMs, deletionGracePeriodSeconds, node.name)] : [{
        code: "NodeSlow",
        level: "blocks",
        message:
          `its grace period of ${deletionGracePeriodSeconds} s ended ${ageText(overdueMs)} ago, and the kubelet ` +
          `of node ${node.name} has not said that it has ended${stillRunning(pod)}`,
        waitsFor: `kubelet on ${node.name}`,
        advice: {
          key: `node ${node.name}`,
          text: `look at the log of the kubelet on ${node.name}: volumes that do not unmount, a container runtime ` +
            `that hangs; ${forced.text}`,
          command,
        },
      }];
  }
}

function inGrace(leftMs: number, graceSeconds: number, nodeName: string): Finding {
  return {
    code: "GracePeriod",
    level: "passes",
    message: `its containers have ${ageText(leftMs)} of ${graceSeconds} s left to end`,
    waitsFor: `kubelet on ${nodeName}`,
  };
}

function stillRunning({ status }: Pod): string {
  const running = (status?.containerStatuses ?? []).filter(({ state }) => state?.running).map(({ name }) => name);
  return running.length === 0 ? "" : `; ${counted(running.length, "container")} still running: ${running.join(", ")}`;
}
