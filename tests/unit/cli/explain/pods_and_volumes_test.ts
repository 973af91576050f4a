/** What is concluded of pods, claims and volumes. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  type Pod,
  PODS,
  VOLUMEATTACHMENTS,
} from "../../../../src/api/mod.ts";
import type { NodeFact, ObjectFacts } from "../../../../src/cli/explain/facts.ts";
import { holdsClaim } from "../../../../src/cli/explain/volumes_and_nodes.ts";
import { ASKED, codes, explainOf, facts, HOLD } from "./fixtures.ts";

/** A pod whose grace period of 30 s ended at `until`. */
function podFacts(node: NodeFact, until: string, { graceSeconds = 30, finalizers = [] as string[] } = {}): ObjectFacts {
  const pod: Pod = {
    metadata: { deletionTimestamp: until, deletionGracePeriodSeconds: graceSeconds, finalizers },
    spec: { nodeName: "n1", containers: [] },
    status: {
      containerStatuses: [{
        name: "main",
        state: { running: {} },
        image: "",
        imageID: "",
        ready: true,
        restartCount: 0,
      }],
    },
  };
  return facts(PODS, "p", { object: pod, details: { type: "pod", pod, node } });
}

Deno.test("explainFacts tells why a pod has not ended, by its grace period and its node", () => {
  const name = "n1";
  const soon = "2026-01-01T01:00:20Z";
  const cases: [target: ObjectFacts, expected: unknown[], message: string, command?: string][] = [
    [podFacts({ type: "ready", name }, soon), ["GracePeriod passes"], "its containers have 20s of 30 s left to end"],
    [podFacts({ type: "unread", name }, soon), ["GracePeriod passes"], "its containers have 20s of 30 s left to end"],
    [
      podFacts({ type: "ready", name }, ASKED),
      ["NodeSlow blocks"],
      "its grace period of 30 s ended 10m ago, and the kubelet of node n1 has not said that it has ended; " +
      "1 container still running: main",
      "kubectl delete pods/p -n shop --grace-period=0 --force",
    ],
    [
      podFacts({ type: "notReady", name, since: "2026-01-01T00:40:00Z", reason: "NodeStatusUnknown" }, ASKED),
      ["NodeNotReady blocks"],
      "its node n1 is not ready since 20m ago (2026-01-01T00:40:00Z) (NodeStatusUnknown): its kubelet cannot say",
      "kubectl taint nodes n1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
    ],
    [
      podFacts({ type: "gone", name }, ASKED),
      ["NodeGone blocks"],
      "its node n1 does not exist, so that no kubelet says that it has ended; pod-garbage-collector-controller",
      "kubectl delete pods/p -n shop --grace-period=0 --force",
    ],
    [
      podFacts({ type: "gone", name }, ASKED, { graceSeconds: 0, finalizers: [HOLD] }),
      ["UnknownFinalizer blocks"],
      "finalizer example.com/hold",
    ],
    [podFacts({ type: "none" }, ASKED, { finalizers: [HOLD] }), ["UnknownFinalizer blocks"], "finalizer"],
  ];
  for (const [target, expected, message, command] of cases) {
    const { findings, nextSteps } = explainOf(target);
    assertEquals(codes(findings), expected, message);
    assertStringIncludes(findings[0].message, message);
    if (command !== undefined) assertEquals(nextSteps[0].command, command);
  }
});

Deno.test("holdsClaim: a pod on a node holds what it refers to, even after its end; a claim made for it is free then", () => {
  const claim: PersistentVolumeClaim = {
    metadata: { name: "p-data", ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }] },
  };
  const refers = { name: "data", persistentVolumeClaim: { claimName: "p-data" } };
  const ephemeral = { name: "data", ephemeral: {} };
  const cases: [
    nodeName: string,
    volume: typeof refers | typeof ephemeral,
    phase: string,
    uid: string,
    held: boolean,
  ][] = [
    ["n", refers, "Running", "u", true],
    ["n", refers, "Succeeded", "u", true],
    ["", refers, "Pending", "u", false],
    ["n", { ...refers, persistentVolumeClaim: { claimName: "other" } }, "Running", "u", false],
    ["n", ephemeral, "Running", "u", true],
    ["n", ephemeral, "Failed", "u", false],
    ["n", ephemeral, "Running", "another", false],
  ];
  for (const [nodeName, volume, phase, uid, held] of cases) {
    const pod: Pod = {
      metadata: { name: "p", uid },
      spec: { nodeName, containers: [], volumes: [volume] },
      status: { phase },
    };
    assertEquals(holdsClaim(pod, claim), held, JSON.stringify([nodeName, volume, phase, uid]));
  }
});

Deno.test("explainFacts says of a claim which pods use it", () => {
  const claim: PersistentVolumeClaim = {
    metadata: { deletionTimestamp: ASKED, finalizers: ["kubernetes.io/pvc-protection"] },
  };
  const of = (users: readonly ObjectFacts[], userCount: number, areUsersRead = true) =>
    explainOf(facts(PERSISTENTVOLUMECLAIMS, "data", {
      object: claim,
      details: { type: "claim", claim, users, userCount, areUsersRead },
    }));
  const used = of([facts(PODS, "p")], 7);
  assertEquals(codes(used.findings), [["Finalizer blocks", [["InUse blocks", ["Object blocks"]]]]]);
  assertEquals(used.findings[0].causes?.[0].message, "in use by 7 pods; 1 shown");
  assertStringIncludes(used.nextSteps[0].text, "delete the pods that use the claim");
  assertEquals(codes(of([], 0).findings), [["Finalizer blocks", ["InUse info"]]]);
  assertStringIncludes(of([], 0).nextSteps[0].text, "persistentvolumeclaim-protection-controller");
  assertEquals(codes(of([], 0, false).findings), ["Finalizer blocks"], "pods could not be read");
});

Deno.test("explainFacts says of a volume which claim and which attachments hold it", () => {
  const of = (phase: string, claim?: ObjectFacts) => {
    const volume: PersistentVolume = {
      metadata: { deletionTimestamp: ASKED, finalizers: ["kubernetes.io/pv-protection", "external-attacher/disk"] },
      spec: { claimRef: { namespace: "shop", name: "data" } },
      status: { phase },
    };
    const attachments = [facts(VOLUMEATTACHMENTS, "csi-1")];
    const details = { type: "volume", volume, claim, attachments } as const;
    return explainOf(facts(PERSISTENTVOLUMES, "pv", { object: volume, details }));
  };
  const attached = ["Finalizer blocks", [["Attached blocks", ["Object blocks"]]]];
  const cases: [phase: string, claim: ObjectFacts | undefined, bound: unknown, command?: string][] = [
    ["Released", undefined, "Bound info"],
    ["Bound", undefined, "Bound passes"],
    [
      "Bound",
      facts(PERSISTENTVOLUMECLAIMS, "data"),
      ["Bound blocks", ["Object blocks"]],
      "kubectl delete persistentvolumeclaims/data -n shop",
    ],
    [
      "Bound",
      facts(PERSISTENTVOLUMECLAIMS, "data", { metadata: { deletionTimestamp: ASKED, finalizers: [HOLD] } }),
      ["Bound blocks", [["Object passes", ["UnknownFinalizer blocks"]]]],
    ],
  ];
  for (const [phase, claim, bound, command] of cases) {
    const { findings, nextSteps } = of(phase, claim);
    assertEquals(codes(findings), [["Finalizer blocks", [bound]], attached]);
    if (command !== undefined) assertEquals(nextSteps[0].command, command);
  }
});
