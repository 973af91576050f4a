/** ConfigMaps and Secrets that pods on simulated nodes name. */
import { assertEquals } from "@std/assert";
import { CONFIG_MAPS, type Loose, PODS } from "../apiserver/harness.ts";
import { NodesRig } from "./rig.ts";

const SECRETS = "/api/v1/namespaces/default/secrets";
const C = { name: "c", image: "nginx:1" };

/** `Reason xCOUNT: message` of the events about a pod, without those of its success. */
async function complaints({ api }: NodesRig, name = "p"): Promise<string[]> {
  const { items } = (await api.get("/api/v1/namespaces/default/events")).body;
  return items.filter(({ involvedObject, type }: Loose) => involvedObject.name === name && type === "Warning")
    .map(({ reason, message }: Loose) => `${reason}: ${message}`);
}

async function waiting(rig: NodesRig, name = "p"): Promise<Loose> {
  return (await rig.status(name)).containerStatuses[0].state.waiting;
}

Deno.test("advance: a container waits for missing ConfigMaps, Secrets and keys of its environment, unless they are optional", async () => {
  await using rig = await NodesRig.start({ podStartMs: 100, events: true });
  await rig.pod("p", { containers: [{ ...C, envFrom: [{ configMapRef: { name: "settings" } }] }] });
  await rig.advance(1000);
  assertEquals(await waiting(rig), {
    reason: "CreateContainerConfigError",
    message: 'configmap "settings" not found',
  });
  assertEquals(await rig.condition("PodReadyToStartContainers"), "True");
  assertEquals(await complaints(rig), ['Failed: Error: configmap "settings" not found']);
  await rig.api.post(CONFIG_MAPS, { metadata: { name: "settings" }, data: {} });
  await rig.advance(10_000);
  assertEquals(await rig.states(), ["running"]);
});

Deno.test("NodeSimulator says which key of a ConfigMap or Secret is not there", async () => {
  await using rig = await NodesRig.start({ podStartMs: 100, events: true });
  await rig.api.post(CONFIG_MAPS, { metadata: { name: "settings" }, data: { a: "1" } });
  await rig.api.post(SECRETS, { metadata: { name: "keys" }, data: { a: "MQ==" } });
  const from = (kind: string, name: string, key: string) => ({ name: "X", valueFrom: { [kind]: { name, key } } });
  const pods = {
    p: [from("configMapKeyRef", "settings", "a"), from("configMapKeyRef", "settings", "b")],
    q: [from("secretKeyRef", "keys", "b")],
    r: [from("secretKeyRef", "keys", "a")],
    s: [from("secretKeyRef", "none", "a")],
  };
  for (const [name, env] of Object.entries(pods)) await rig.pod(name, { containers: [{ ...C, env }] });
  await rig.advance(1000);
  assertEquals((await waiting(rig, "p")).message, "couldn't find key b in ConfigMap default/settings");
  assertEquals((await waiting(rig, "q")).message, "couldn't find key b in Secret default/keys");
  assertEquals(await rig.states("r"), ["running"]);
  assertEquals((await waiting(rig, "s")).message, 'secret "none" not found');
});

Deno.test("advance: a container waits for missing ConfigMaps, Secrets and keys of its environment, unless they are optional: then it starts", async () => {
  await using rig = await NodesRig.start({ podStartMs: 100 });
  await rig.api.post(CONFIG_MAPS, { metadata: { name: "settings" } });
  const optional = { name: "none", optional: true };
  await rig.pod("p", {
    containers: [{
      ...C,
      envFrom: [{ secretRef: optional }],
      env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "a", optional: true } } }],
    }],
    volumes: [
      { name: "v", configMap: { ...optional, items: [{ key: "a", path: "a" }] } },
      { name: "w", secret: { secretName: "none", optional: true } },
      { name: "x", projected: { sources: [{ secret: optional }, { configMap: optional }] } },
    ],
  });
  await rig.advance(1000);
  assertEquals(await rig.states(), ["running"]);
});

Deno.test("NodeSimulator mounts no volume whose ConfigMap or Secret is not there", async () => {
  await using rig = await NodesRig.start({ podStartMs: 100, events: true });
  await rig.api.post(CONFIG_MAPS, { metadata: { name: "here" }, data: { a: "1" } });
  await rig.pod("p", {
    containers: [C],
    volumes: [
      { name: "u", configMap: { name: "here", items: [{ key: "b", path: "b" }] } },
      { name: "v", configMap: { name: "settings" } },
      { name: "w", secret: { secretName: "keys" } },
      { name: "x", projected: { sources: [{ configMap: { name: "settings" } }, { secret: { name: "keys" } }] } },
    ],
  });
  await rig.advance(400);
  assertEquals(await waiting(rig), { reason: "ContainerCreating" });
  assertEquals(await rig.condition("PodReadyToStartContainers"), "False");
  assertEquals((await complaints(rig)).sort(), [
    'FailedMount: MountVolume.SetUp failed for volume "u" : configmap references non-existent config key: b',
    'FailedMount: MountVolume.SetUp failed for volume "v" : configmap "settings" not found',
    'FailedMount: MountVolume.SetUp failed for volume "w" : secret "keys" not found',
    'FailedMount: MountVolume.SetUp failed for volume "x" : [configmap "settings" not found, secret "keys" not found]',
  ]);
  await rig.api.patch(`${CONFIG_MAPS}/here`, { data: { b: "2" } });
  await rig.api.post(CONFIG_MAPS, { metadata: { name: "settings" } });
  await rig.api.post(SECRETS, { metadata: { name: "keys" } });
  await rig.advance(10_000);
  assertEquals(await rig.states(), ["running"]);
});

Deno.test("NodeSimulator looks ever later for what is missing", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0, events: true });
  await rig.pod("p", { containers: [C], volumes: [{ name: "v", configMap: { name: "settings" } }] });
  await rig.advance(60_000);
  const { items } = (await rig.api.get("/api/v1/namespaces/default/events")).body;
  const [mount] = items.filter(({ reason }: Loose) => reason === "FailedMount");
  assertEquals(items.length, 1);
  assertEquals(mount.count, 11, "after 0.5, 1, 2, 4, 8 seconds, then every ten");
});

Deno.test("NodeSimulator only tells of Secrets for pulling images that are not there", async () => {
  await using rig = await NodesRig.start({ podStartMs: 100, events: true });
  await rig.pod("p", { containers: [C], imagePullSecrets: [{ name: "a" }, { name: "b" }] });
  await rig.advance(1000);
  assertEquals(await rig.states(), ["running"]);
  assertEquals(await complaints(rig), [
    "FailedToRetrieveImagePullSecret: Unable to retrieve some image pull secrets (a, b); " +
    "attempting to pull the image may not succeed.",
  ]);
});

Deno.test("NodeSimulator reads ConfigMaps and Secrets that pods name, and no others", async () => {
  await using rig = await NodesRig.start({ podStartMs: 100 });
  await rig.api.post(CONFIG_MAPS, { metadata: { name: "settings" } });
  rig.reads.length = 0;
  await rig.pod("p");
  await rig.pod("q", { containers: [{ ...C, envFrom: [{ configMapRef: { name: "settings" } }] }] });
  await rig.advance(60_000);
  assertEquals(rig.reads.filter((path) => /configmaps|secrets/.test(path)), [`${CONFIG_MAPS}/settings`]);
});

Deno.test("NodeSimulator gives back the room of a pod that is removed while its ConfigMap is read", async () => {
  await using rig = await NodesRig.start({ podStartMs: 100, capacity: { cpu: "1", memory: "1Gi", pods: "10" } });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  rig.beforeRead = (path) => path.startsWith(CONFIG_MAPS) ? released : undefined;
  const resources = { requests: { cpu: "1" } };
  await rig.pod("p", { containers: [{ ...C, resources, envFrom: [{ configMapRef: { name: "settings" } }] }] });
  await rig.advance(200);
  assertEquals(rig.reads.at(-1), `${CONFIG_MAPS}/settings`);
  await rig.api.delete(`${PODS}/p`, { gracePeriodSeconds: 0 });
  await rig.advance(0);
  release();
  await rig.advance(0);
  await rig.pod("q", { containers: [{ ...C, resources }] });
  await rig.advance(1000);
  assertEquals(await rig.states("q"), ["running"]);
});
