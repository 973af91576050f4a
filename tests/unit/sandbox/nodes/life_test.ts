/** The life of pods on simulated nodes: init containers, exits, restarts, deadlines. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { PODS, STRATEGIC } from "../apiserver/harness.ts";
import { NodesRig } from "./rig.ts";

const MAIN = { name: "c", image: "nginx:1" };

Deno.test("NodeSimulator runs init containers one after the other, and sidecars beside the rest", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0, initRunMs: 1000, podRunMs: 5000 });
  const initContainers = [
    { name: "first", image: "a:1" },
    { name: "side", image: "b:1", restartPolicy: "Always" },
    { name: "last", image: "c:1" },
  ];
  const annotations = { "kubeloop.dev/ready-after": "side=1500ms" };
  await rig.pod("p", { initContainers, restartPolicy: "OnFailure", annotations });
  await rig.advance(10);
  assertEquals(await rig.states(), ["running", "PodInitializing", "PodInitializing", "PodInitializing"]);
  assertEquals(await rig.condition("Initialized"), "ContainersNotInitialized");
  await rig.advance(1000);
  assertEquals(await rig.states(), ["Completed", "running", "running", "PodInitializing"]);
  const { phase, conditions } = await rig.status();
  const initialized = conditions.find(({ type }: { type: string }) => type === "Initialized");
  assertEquals([phase, initialized.message], ["Pending", "containers with incomplete status: [last]"]);
  await rig.advance(1000);
  assertEquals(await rig.states(), ["Completed", "running", "Completed", "running"]);
  assertEquals(await rig.condition("Ready"), "ContainersNotReady", "the sidecar is not ready yet");
  await rig.advance(500);
  assertEquals([(await rig.status()).phase, await rig.condition("Ready")], ["Running", "True"]);
  await rig.advance(5000);
  assertEquals(await rig.states(), ["Completed", "Completed", "Completed", "Completed"]);
  assertEquals([(await rig.status()).phase, await rig.condition("Initialized")], ["Succeeded", "True"]);
});

Deno.test("NodeSimulator fails a pod whose init container failed and is not to be restarted", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0 });
  const initContainers = [{ name: "setup", image: "a:1" }];
  await rig.pod("p", {
    initContainers,
    restartPolicy: "Never",
    annotations: { "kubeloop.dev/exit-code": "setup=3" },
  });
  await rig.advance(200);
  const { phase, initContainerStatuses: [{ state }] } = await rig.status();
  assertEquals([phase, state.terminated.exitCode, await rig.states()], ["Failed", 3, ["Error", "PodInitializing"]]);
});

Deno.test("NodeSimulator restarts a failing init container until it succeeds", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0 });
  const initContainers = [{ name: "setup", image: "a:1" }];
  await rig.pod("p", { initContainers, annotations: { "kubeloop.dev/exit-code": "setup=1,1,0" } });
  await rig.advance(3000);
  assertEquals(await rig.states(), ["CrashLoopBackOff 1", "PodInitializing"]);
  assertEquals((await rig.status()).phase, "Pending");
  await rig.advance(10_000);
  assertEquals(await rig.states(), ["Completed 2", "running"]);
});

Deno.test("NodeSimulator backs off from a container that keeps failing, longer each time", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0 });
  const annotations = { "kubeloop.dev/exit-code": "7", "kubeloop.dev/run-for": "1s" };
  const { metadata: { uid } } = await rig.pod("p", { annotations });
  const seen: string[] = [];
  for (let second = 0; second < 60; second++) {
    const state = (await rig.advance(1000), (await rig.states())[0]);
    if (seen.at(-1) !== state) seen.push(state);
  }
  assertEquals(seen, [
    "Error",
    "running 1",
    "Error 1",
    "CrashLoopBackOff 1",
    "running 2",
    "Error 2",
    "CrashLoopBackOff 2",
    "running 3",
    "Error 3",
    "CrashLoopBackOff 3",
  ]);
  const { phase, containerStatuses: [{ state, lastState }] } = await rig.status();
  assertEquals([phase, lastState.terminated.exitCode, await rig.condition("Ready")], [
    "Running",
    7,
    "ContainersNotReady",
  ]);
  assertEquals(state.waiting.message, `back-off 40s restarting failed container=c pod=p_default(${uid})`);
});

Deno.test("NodeSimulator restarts a container on failure only, as its restart policy says", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0 });
  const annotations = { "kubeloop.dev/exit-code": "1,0" };
  await rig.pod("p", { restartPolicy: "OnFailure", annotations });
  await rig.pod("q", { restartPolicy: "Never", annotations });
  await rig.advance(1500);
  assertEquals([(await rig.status()).phase, (await rig.status("q")).phase], ["Running", "Failed"]);
  assertEquals(await rig.condition("Ready", "q"), "PodFailed");
  await rig.advance(5000);
  assertEquals([(await rig.status()).phase, await rig.states()], ["Succeeded", ["Completed 1"]]);
});

Deno.test("NodeSimulator honours a container's own restart policy and rules", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0 });
  const restartPolicyRules = [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }];
  const containers = [{ ...MAIN, restartPolicy: "Never", restartPolicyRules }];
  await rig.pod("p", { restartPolicy: "Never", containers, annotations: { "kubeloop.dev/exit-code": "42,3" } });
  await rig.advance(1500);
  assertEquals([(await rig.status()).phase, await rig.states()], ["Running", ["Error"]]);
  await rig.advance(5000);
  assertEquals([(await rig.status()).phase, await rig.states()], ["Failed", ["Error 1"]]);
});

Deno.test("NodeSimulator lets each container end as its name's annotation says", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0 });
  await rig.pod("p", {
    restartPolicy: "Never",
    containers: [MAIN, { name: "log", image: "log:1" }],
    annotations: { "kubeloop.dev/exit-code": "0,log=137:OOMKilled", "kubeloop.dev/run-for": "1s,log=2s" },
  });
  await rig.advance(1500);
  assertEquals([(await rig.status()).phase, await rig.states()], ["Running", ["Completed", "running"]]);
  assertEquals(await rig.condition("ContainersReady"), "ContainersNotReady");
  await rig.advance(1000);
  assertEquals([(await rig.status()).phase, await rig.states()], ["Failed", ["Completed", "OOMKilled"]]);
});

Deno.test("NodeSimulator counts the failed pods of a Job as earlier runs, by completion index", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0, podRunMs: 100 });
  const job = { apiVersion: "batch/v1", kind: "Job", name: "j", uid: "u", controller: true };
  const make = async (name: string, index: string) => {
    const spec = { containers: [MAIN], restartPolicy: "Never", nodeName: "node-0" };
    const annotations = {
      "kubeloop.dev/exit-code": "1,0,@1=5",
      "batch.kubernetes.io/job-completion-index": index,
    };
    await rig.api.post(PODS, { metadata: { name, annotations, ownerReferences: [job] }, spec });
    await rig.advance(2000);
    return (await rig.status(name)).containerStatuses[0].state.terminated.exitCode;
  };
  assertEquals([await make("a", "0"), await make("b", "0"), await make("c", "1"), await make("d", "1")], [1, 0, 5, 5]);
});

Deno.test("NodeSimulator ends a pod that is past its deadline", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0, podStopMs: 500 });
  await rig.pod("p", { activeDeadlineSeconds: 3 });
  await rig.advance(3400);
  assertEquals((await rig.status()).phase, "Running");
  await rig.advance(200);
  const { phase, reason, message } = await rig.status();
  assertEquals([phase, reason], ["Failed", "DeadlineExceeded"]);
  assertEquals(message, "Pod was active on the node longer than the specified deadline");
  assertEquals(await rig.condition("Ready"), "PodFailed");
});

Deno.test("NodeSimulator evicts a pod when its annotation says so, and marks the disruption", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0 });
  await rig.pod();
  await rig.advance(10);
  await rig.annotate(`${PODS}/p`, { "kubeloop.dev/evict": "memory" });
  await rig.advance(10);
  const { phase, reason, message, containerStatuses: [{ state }] } = await rig.status();
  assertEquals([phase, reason, message], ["Failed", "Evicted", "The node was low on resource: memory. "]);
  assertEquals([state.terminated.exitCode, await rig.condition("DisruptionTarget")], [137, "True"]);
});

Deno.test("NodeSimulator makes containers ready when their annotation says, and takes that back", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0 });
  await rig.pod("p", { annotations: { "kubeloop.dev/ready-after": "5s" } });
  await rig.advance(4999);
  assertEquals([(await rig.status()).phase, await rig.condition("Ready")], ["Running", "ContainersNotReady"]);
  await rig.advance(1);
  assertEquals(await rig.condition("Ready"), "True");
  await rig.annotate(`${PODS}/p`, { "kubeloop.dev/ready-after": "never" });
  await rig.advance(10);
  assertEquals(await rig.condition("ContainersReady"), "ContainersNotReady");
});

Deno.test("NodeSimulator calls a pod ready only when its readiness gates are", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0 });
  await rig.pod("p", { readinessGates: [{ conditionType: "x.y/z" }] });
  await rig.advance(10);
  assertEquals([await rig.condition("ContainersReady"), await rig.condition("Ready")], [
    "True",
    "ReadinessGatesNotReady",
  ]);
  const set = (status: string) =>
    rig.api.patch(`${PODS}/p/status`, { status: { conditions: [{ type: "x.y/z", status }] } }, STRATEGIC);
  await set("False");
  await rig.advance(10);
  const ready = (await rig.status()).conditions.find(({ type }: { type: string }) => type === "Ready");
  assertEquals(ready.message, 'the status of pod readiness gate "x.y/z" is not "True", but False');
  await set("True");
  await rig.advance(10);
  assertEquals(await rig.condition("Ready"), "True");
});

Deno.test("NodeSimulator takes its time to pull where told so, and waits for ever for a malformed name", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0 });
  await rig.pod("p", { annotations: { "kubeloop.dev/image-pull": "3s" } });
  await rig.pod("q", { containers: [{ name: "c", image: "NOT an image" }] });
  await rig.advance(2999);
  assertEquals([await rig.states(), await rig.states("q")], [["ContainerCreating"], ["InvalidImageName"]]);
  await rig.advance(1);
  assertEquals(await rig.states(), ["running"]);
});

Deno.test("NodeSimulator starts a container anew whose image was replaced", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0 });
  await rig.pod();
  await rig.advance(10);
  await rig.api.patch(`${PODS}/p`, { spec: { containers: [{ name: "c", image: "nginx:2" }] } }, STRATEGIC);
  await rig.advance(10);
  const [{ image, restartCount }] = (await rig.status()).containerStatuses;
  assertEquals([image, restartCount], ["nginx:2", 1]);
});

Deno.test("NodeSimulator goes on with a pod whose annotation it does not understand, and says so", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0, events: true });
  await rig.pod("p", { annotations: { "kubeloop.dev/run-for": "a while" } });
  await rig.advance(10);
  assertEquals(await rig.states(), ["running"]);
  const { items } = (await rig.api.get("/api/v1/namespaces/default/events")).body;
  const event = items.find(({ reason }: { reason: string }) => reason === "InvalidAnnotation");
  assertStringIncludes(event.message, 'annotation kubeloop.dev/run-for is ignored: time: invalid duration "a while"');
});

Deno.test("NodeSimulator tells what a kubelet tells, and counts what is repeated", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0, events: true });
  const annotations = {
    "kubeloop.dev/exit-code": "1",
    "kubeloop.dev/run-for": "1s",
    "kubeloop.dev/ready-after": "100ms",
  };
  await rig.pod("p", { annotations });
  await rig.advance(20_000);
  await rig.api.delete(`${PODS}/p`);
  await rig.advance(1000);
  const { items } = (await rig.api.get("/api/v1/namespaces/default/events")).body;
  const told = items.map(({ reason, count, involvedObject }: {
    reason: string;
    count: number;
    involvedObject: { fieldPath: string };
  }) => `${reason} ${count} ${involvedObject.fieldPath}`).sort();
  const at = "spec.containers{c}";
  assertEquals(told, [`BackOff 2 ${at}`, `Created 3 ${at}`, `Pulled 1 ${at}`, `Started 3 ${at}`, `Unhealthy 3 ${at}`]);
});
