import { assertEquals } from "@std/assert";
import { isUnpullable } from "../../../../src/sandbox/mod.ts";
import { MERGE, PODS, STRATEGIC } from "../apiserver/harness.ts";
import { createHash } from "node:crypto";
import { NodesRig } from "./rig.ts";

Deno.test("NodeSimulator: a pod bound to one of the nodes is Running and Ready podStartMs later", async () => {
  await using rig = await NodesRig.start({ podStartMs: 700 });
  await rig.pod();
  await rig.advance(699);
  const pending = await rig.status();
  assertEquals([pending.phase, pending.hostIP, pending.podIP], ["Pending", "10.0.0.1", undefined]);
  assertEquals([await rig.states(), await rig.condition("Ready")], [["ContainerCreating"], "ContainersNotReady"]);
  await rig.advance(1);
  const status = await rig.status();
  assertEquals([status.phase, status.podIP, status.podIPs], ["Running", "10.244.0.1", [{ ip: "10.244.0.1" }]]);
  assertEquals([status.startTime, status.observedGeneration], ["2026-01-01T00:00:00Z", 1]);
  for (const type of ["PodScheduled", "Initialized", "PodReadyToStartContainers", "ContainersReady", "Ready"]) {
    assertEquals(await rig.condition(type), "True", type);
  }
  assertEquals([status.containerStatuses[0].ready, status.containerStatuses[0].started], [true, true]);
  assertEquals(status.qosClass, "BestEffort");
});

Deno.test("NodeSimulator clears the reason of a condition that has become true", async () => {
  await using rig = await NodesRig.start({ podStartMs: 100 });
  await rig.pod();
  await rig.advance(100);
  const { conditions } = await rig.status();
  assertEquals(conditions.map(({ type, reason }: { type: string; reason?: string }) => [type, reason]), [
    ["PodReadyToStartContainers", undefined],
    ["Initialized", undefined],
    ["Ready", undefined],
    ["ContainersReady", undefined],
    ["PodScheduled", undefined],
  ]);
});

Deno.test("PodWorkers: a status is written only if it differs from the newest one known", async () => {
  await using rig = await NodesRig.start({ podStartMs: 100, leases: false });
  rig.writes.length = 0;
  await rig.pod();
  await rig.advance(60_000);
  assertEquals(rig.writes, Array.from({ length: 2 }, () => `PATCH ${PODS}/p/status`), "seen, then running");
  await rig.annotate(`${PODS}/p`, { touched: "yes" });
  await rig.advance(60_000);
  assertEquals(rig.writes.length, 2);
});

Deno.test("NodeSimulator leaves pods of other nodes alone", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0 });
  await rig.pod("p", { nodeName: "elsewhere" });
  await rig.pod("q", { nodeName: undefined });
  await rig.advance(10_000);
  assertEquals([(await rig.status()).startTime, (await rig.status("q")).startTime], [undefined, undefined]);
});

Deno.test("NodeSimulator never makes a pod ready whose image cannot be pulled, until the image changes", async () => {
  await using rig = await NodesRig.start({ podStartMs: 100 });
  await rig.pod("p", { containers: [{ name: "c", image: "nginx:404" }] });
  await rig.advance(100);
  assertEquals(await rig.states(), ["ErrImagePull"]);
  await rig.advance(1000);
  assertEquals(await rig.states(), ["ImagePullBackOff"]);
  await rig.advance(9000);
  assertEquals(await rig.states(), ["ErrImagePull"], "tried again after ten seconds");
  await rig.advance(50_000);
  assertEquals([(await rig.status()).phase, await rig.states()], ["Pending", ["ImagePullBackOff"]]);
  const containers = [{ name: "c", image: "nginx:1" }];
  await rig.api.patch(`${PODS}/p`, { spec: { containers } }, STRATEGIC);
  await rig.advance(0);
  assertEquals([(await rig.status()).phase, await rig.states()], ["Running", ["running"]]);
});

Deno.test("isUnpullable knows bad names and tags", () => {
  const images = [
    "nginx",
    "nginx:404",
    "bad-image:1",
    "reg:404/x",
    "x:never-pull",
    "x:never-pull-x",
    "nginx:1@sha256:ab",
  ];
  assertEquals(images.filter(isUnpullable), ["nginx:404", "bad-image:1", "x:never-pull"]);
});

Deno.test("NodeSimulator: a pod being deleted stops after podStopMs, at the latest after its grace period, and is then removed", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0, podStopMs: 300 });
  await rig.pod();
  await rig.advance(10);
  const deletions: string[] = [];
  const watch = await rig.api.watch(PODS, "&resourceVersion=0");
  await watch.next();
  await rig.api.delete(`${PODS}/p`);
  await rig.advance(299);
  assertEquals((await rig.read()).metadata.deletionGracePeriodSeconds, 30);
  await rig.advance(1);
  assertEquals(await rig.read(), undefined);
  while (!deletions.at(-1)?.startsWith("DELETED")) {
    const { type, object } = await watch.next();
    deletions.push(`${type} ${object.status.phase}`);
  }
  assertEquals([...new Set(deletions)], ["MODIFIED Running", "MODIFIED Succeeded", "DELETED Succeeded"]);
  await watch.cancel();
});

Deno.test("PodWorkers: a pod being deleted is removed when its containers have stopped and that was written", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0 });
  for (const name of ["p", "q"]) {
    await rig.pod(name, {
      annotations: { "kubeloop.dev/stop-after": "never" },
      terminationGracePeriodSeconds: 10,
    });
  }
  await rig.advance(10);
  await rig.api.patch(`${PODS}/p`, { metadata: { finalizers: ["x.y/z"] } });
  await rig.api.delete(`${PODS}/p`);
  await rig.api.delete(`${PODS}/q`);
  await rig.advance(4000);
  await rig.api.delete(`${PODS}/q`, { gracePeriodSeconds: 5 });
  await rig.advance(1000);
  assertEquals(await rig.read("q"), undefined);
  await rig.advance(4999);
  assertEquals(await rig.states(), ["running"]);
  await rig.advance(1);
  const { status: { phase, containerStatuses: [{ state }] }, metadata } = await rig.read();
  assertEquals([phase, state.terminated.exitCode, state.terminated.reason], ["Failed", 137, "Error"]);
  assertEquals([metadata.deletionGracePeriodSeconds, metadata.finalizers], [0, ["x.y/z"]], "finalizers keep it");
  const deletions = rig.writes.filter((write) => write.startsWith(`DELETE ${PODS}/p`));
  assertEquals(deletions.map((write) => JSON.parse(write.slice(write.indexOf("{")))), [{
    kind: "DeleteOptions",
    apiVersion: "v1",
    gracePeriodSeconds: 0,
    preconditions: { uid: metadata.uid },
  }]);
  const before = rig.writes.filter((write) => write.includes(PODS)).length;
  await rig.annotate(`${PODS}/p`, { touched: "yes" });
  await rig.advance(60_000);
  assertEquals(rig.writes.filter((write) => write.includes(PODS)).length, before, "it is let be from then on");
  await rig.api.patch(`${PODS}/p`, { metadata: { finalizers: null } });
  assertEquals(await rig.read(), undefined);
});

Deno.test("PodWorkers: a pod that was replaced by another with its name is dropped without harm to the other", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0, podStopMs: 1000 });
  await rig.pod();
  await rig.advance(10);
  await rig.api.delete(`${PODS}/p`);
  await rig.advance(500);
  await rig.api.delete(`${PODS}/p`, { gracePeriodSeconds: 0 });
  const { metadata: { uid } } = await rig.pod();
  await rig.advance(5000);
  const { metadata, status } = await rig.read();
  assertEquals([metadata.uid, status.phase], [uid, "Running"]);
});

Deno.test("NodeSimulator: containers end, restart, back off and make the pod Succeeded or Failed as a kubelet's would", async () => {
  await using rig = await NodesRig.start({ podStartMs: 100, podRunMs: 1000 });
  await rig.pod("p", { restartPolicy: "Never" });
  await rig.advance(100);
  assertEquals((await rig.status()).phase, "Running");
  await rig.advance(1000);
  const { phase, containerStatuses: [{ state: { terminated } }] } = await rig.status();
  assertEquals([phase, terminated.exitCode, terminated.reason], ["Succeeded", 0, "Completed"]);
  assertEquals([terminated.startedAt, terminated.finishedAt], ["2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"]);
  assertEquals([await rig.condition("Ready"), await rig.condition("Initialized")], ["PodCompleted", "True"]);
});

Deno.test("NodeSimulator tries again when the server refuses", async () => {
  await using rig = await NodesRig.start({ podStartMs: 100 });
  rig.api.server.faults.add({ verb: "patch", resource: "pods/status", times: 1, status: { code: 500 } });
  await rig.pod();
  await rig.advance(3000);
  assertEquals((await rig.status()).phase, "Running");
});

Deno.test("PodWorkers: a status is written only if it differs from the newest one known", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0 });
  await rig.pod();
  await rig.advance(10);
  const conditions = [{ type: "Ready", status: "False" }, { type: "x.y/z", status: "True" }];
  await rig.api.patch(`${PODS}/p/status`, { status: { conditions } }, STRATEGIC);
  await rig.advance(10);
  assertEquals([await rig.condition("Ready"), await rig.condition("x.y/z")], ["True", "True"]);
});

Deno.test("PodWorkers: a pod is processed once at a time; no more than workers requests are in flight", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0, workers: 3, leases: false });
  rig.api.server.faults.add({ verb: "patch", resource: "pods/status", delayMs: 1000 });
  const names = Array.from({ length: 8 }, (_, i) => `p${i}`);
  for (const name of names) await rig.pod(name);
  for (let round = 0; round < 4; round++) {
    await rig.advance(300); // a change while the pod is being worked on
    for (const name of names) await rig.annotate(`${PODS}/${name}`, { round: String(round) });
  }
  await rig.advance(30_000);
  for (const name of names) assertEquals((await rig.status(name)).phase, "Running");
  assertEquals(rig.mostAtOnce, { ofAll: 3, ofOne: 1 });
});

Deno.test("NodeSimulator follows a resize, and shows what a pod has of its node", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0 });
  const resources = { requests: { cpu: "1" }, limits: { cpu: "1" } };
  await rig.pod("p", { containers: [{ name: "c", image: "nginx:1", resources }] });
  await rig.advance(10);
  assertEquals((await rig.status()).containerStatuses[0].allocatedResources, { cpu: "1" });
  const bigger = { requests: { cpu: "2" }, limits: { cpu: "2" } };
  const body = { spec: { containers: [{ name: "c", resources: bigger }] } };
  assertEquals((await rig.api.patch(`${PODS}/p/resize`, body, STRATEGIC)).status, 200);
  await rig.advance(10);
  const [container] = (await rig.status()).containerStatuses;
  assertEquals([container.allocatedResources, container.resources], [{ cpu: "2" }, bigger]);
});

Deno.test("NodeSimulator runs ephemeral containers", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0 });
  await rig.pod();
  await rig.advance(10);
  const ephemeralContainers = [{ name: "debug", image: "busybox:1", targetContainerName: "c" }];
  await rig.api.patch(`${PODS}/p/ephemeralcontainers`, { spec: { ephemeralContainers } }, STRATEGIC);
  await rig.advance(10);
  const { ephemeralContainerStatuses: [debug] } = await rig.status();
  assertEquals([debug.name, Object.keys(debug.state), await rig.condition("Ready")], ["debug", ["running"], "True"]);
});

const ATTACHED = { name: "kubernetes.io/csi/d.io^h", devicePath: "" };

/** Says that volume `h` of driver `d.io` is attached to a node. */
async function attach(rig: NodesRig, nodeName: string): Promise<void> {
  const name = `csi-${createHash("sha256").update(`hd.io${nodeName}`).digest("hex")}`;
  const spec = { attacher: "d.io", nodeName, source: { persistentVolumeName: "pv" } };
  const attachments = "/apis/storage.k8s.io/v1/volumeattachments";
  assertEquals((await rig.api.post(attachments, { metadata: { name }, spec })).status, 201);
  const path = `${attachments}/${name}/status`;
  assertEquals((await rig.api.patch(path, { status: { attached: true } }, MERGE)).status, 200);
}

Deno.test("PodWorkers: a node reports the volumes of a pod before it mounts them, and until the pod has ended", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0, events: true });
  const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "data" } }];
  const claims = "/api/v1/namespaces/default/persistentvolumeclaims";
  const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, volumeName: "pv" };
  await rig.api.post("/api/v1/persistentvolumes", {
    metadata: { name: "pv" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      csi: { driver: "d.io", volumeHandle: "h" },
    },
  });
  await rig.api.post(claims, { metadata: { name: "data" }, spec: claim });
  await rig.pod("p", { volumes });
  await rig.advance(60_000);
  assertEquals(await rig.states(), ["ContainerCreating"]);
  const node = "/api/v1/nodes/node-0";
  const inUse = async () => (await rig.api.get(node)).body.status.volumesInUse;
  assertEquals(await inUse(), undefined);
  await rig.api.patch(`${claims}/data/status`, { status: { phase: "Bound" } }, MERGE);
  await rig.advance(10);
  assertEquals(await inUse(), ["kubernetes.io/csi/d.io^h"]);
  assertEquals(await rig.states(), ["ContainerCreating"]);
  await rig.api.patch(`${node}/status`, { status: { volumesAttached: [ATTACHED] } }, MERGE);
  await rig.advance(130_000);
  assertEquals(await rig.states(), ["ContainerCreating"], "nothing says that the driver has attached it");
  await attach(rig, "node-0");
  await rig.advance(10);
  assertEquals(await rig.states(), ["running"]);
  await rig.api.delete(`${PODS}/p`);
  await rig.advance(1000);
  assertEquals(await inUse(), undefined);
});
