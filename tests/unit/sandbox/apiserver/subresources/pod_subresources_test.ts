import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { Harness, type Loose, pod, PODS, STRATEGIC } from "../harness.ts";

const SIZE = { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "2" } };
const container = (more: object = {}) => ({ name: "c", image: "nginx:1", ...more });

/** A server with the pod `p`, whose container has a size, and which is on a node that is known. */
async function withPod(spec: object = {}): Promise<Harness> {
  const api = new Harness();
  await api.account("default");
  await api.post("/api/v1/nodes", { metadata: { name: "n" } });
  const allocatable = { cpu: "8", memory: "16Gi" };
  await api.patch("/api/v1/nodes/n/status", { status: { allocatable, capacity: allocatable } });
  await api.post(PODS, pod("p", { nodeName: "n", containers: [container({ resources: SIZE })], ...spec }));
  return api;
}

const ephemeral = (api: Harness, ...ephemeralContainers: object[]) =>
  api.patch(`${PODS}/p/ephemeralcontainers`, { spec: { ephemeralContainers } }, STRATEGIC);
const resize = (api: Harness, resources: object, more: object = {}) =>
  api.patch(`${PODS}/p/resize`, { spec: { containers: [{ name: "c", resources, ...more }] } }, STRATEGIC);

const EPHEMERAL: ReadonlyArray<readonly [what: string, container: object, why: string]> = [
  ["an image", { name: "e" }, "spec.ephemeralContainers[0].image: Required value"],
  ["a name of its own", { name: "c", image: "x" }, 'spec.ephemeralContainers[0].name: Duplicate value: "c"'],
  [
    "a target that is there",
    { name: "e", image: "x", targetContainerName: "z" },
    'targetContainerName: Not found: "z"',
  ],
  [
    "no ports",
    { name: "e", image: "x", ports: [{ containerPort: 80 }] },
    "ports: Forbidden: cannot be set for an Ephemeral Container",
  ],
];
for (const [what, wanted, why] of EPHEMERAL) {
  Deno.test(`Ephemeral containers need ${what}`, async () => {
    using api = await withPod();
    const { status, body } = await ephemeral(api, wanted);
    assertEquals(status, 422);
    assertStringIncludes(body.message, why);
  });
}

Deno.test("Ephemeral containers stay as they were, and nothing else comes with them", async () => {
  using api = await withPod();
  const added = await api.patch(`${PODS}/p/ephemeralcontainers`, {
    metadata: { labels: { a: "b" } },
    spec: { hostNetwork: true, ephemeralContainers: [{ name: "e", image: "x" }] },
  }, STRATEGIC);
  assertEquals([added.status, added.body.metadata.labels, added.body.spec.hostNetwork], [200, undefined, undefined]);
  assertEquals(added.body.metadata.generation, 2);
  assertStringIncludes((await ephemeral(api, { name: "e", image: "y" })).body.message, '"e" may not be changed');
  const removed = await api.patch(`${PODS}/p/ephemeralcontainers`, { spec: { ephemeralContainers: null } });
  assertStringIncludes(removed.body.message, '"e" may not be removed');
});

const RESIZED: ReadonlyArray<readonly [what: string, resources: object, more: object, why: string]> = [
  [
    "the class of service",
    { requests: { cpu: "2", memory: "1Gi" }, limits: { cpu: "2", memory: "1Gi" } },
    {},
    "Pod QOS Class may not change as a result of resizing",
  ],
  [
    "whether there is a limit",
    { limits: { cpu: null } },
    {},
    "spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed",
  ],
  [
    "other resources",
    { requests: { "x.y/z": "1" }, limits: { "x.y/z": "1" } },
    {},
    "spec: Forbidden: only cpu and memory resources are mutable",
  ],
  [
    "how it is resized",
    {},
    { resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] },
    "spec: Forbidden: only cpu and memory resources are mutable",
  ],
];
for (const [what, resources, more, why] of RESIZED) {
  Deno.test(`Resize does not change ${what}`, async () => {
    using api = await withPod();
    const { status, body } = await resize(api, resources, more);
    assertEquals(status, 422);
    assertStringIncludes(body.message, why);
  });
}

Deno.test("Resize changes cpu and memory, and nothing else", async () => {
  using api = await withPod();
  const { status, body } = await resize(api, { requests: { cpu: "500m" } }, { image: "other" });
  assertEquals(status, 200);
  assertEquals([body.spec.containers[0].resources.requests.cpu, body.spec.containers[0].image], ["500m", "nginx:1"]);
  assertEquals(body.metadata.generation, 2);
});

Deno.test("Resize takes no other containers", async () => {
  using api = await withPod();
  const patch = { spec: { containers: [container({ name: "d" })] } };
  const { status, body } = await api.patch(`${PODS}/p/resize`, patch, STRATEGIC);
  assertEquals(status, 422);
  assertStringIncludes(body.message, "containers may not be added or removed on resize");
});

async function started(spec: object = {}): Promise<Harness> {
  const api = await withPod(spec);
  const { body } = await api.get(`${PODS}/p`);
  const containerStatuses = body.spec.containers.map(({ name, image }: Loose) => ({
    name,
    image,
    imageID: "i",
    ready: true,
    restartCount: 0,
    state: { running: { startedAt: "2026-01-01T00:00:00Z" } },
  }));
  await api.patch(`${PODS}/p/status`, { status: { phase: "Running", containerStatuses } }, STRATEGIC);
  return api;
}

Deno.test("Log says when a container started, and holds to its options", async () => {
  using api = await started();
  const { status, body, headers } = await api.get(`${PODS}/p/log`);
  assertEquals([status, headers.get("content-type")], [200, "text/plain"]);
  assertEquals(body, "simulated container c (image nginx:1) of default/p on n started\n");
  assertStringIncludes((await api.get(`${PODS}/p/log?timestamps=true`)).body, "2026-01-01T00:00:00Z simulated");
  assertEquals((await api.get(`${PODS}/p/log?tailLines=0`)).body, "");
  assertEquals((await api.get(`${PODS}/p/log?limitBytes=9`)).body, "simulated");
  await api.world.clock.advance(60_000);
  assertEquals((await api.get(`${PODS}/p/log?sinceSeconds=5`)).body, "");
});

/** A followed log: its reader, and how to read all that is left. */
async function followed(api: Harness, query = "", signal?: AbortSignal) {
  const request = new Request(api.request("GET", `${PODS}/p/log?follow=true${query}`), { signal });
  const { body } = await api.server.fetch(request);
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  assertEquals((await reader.read()).value, "simulated container c (image nginx:1) of default/p on n started\n");
  const rest = async () => {
    let text = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
    return text;
  };
  return { reader, rest };
}

const ENDED = { containerID: "c", exitCode: 3, startedAt: "2026-01-01T00:00:00Z", finishedAt: "2026-01-01T00:01:00Z" };

Deno.test("Log that is followed goes on until its container ends", async () => {
  using api = await started();
  const { rest } = await followed(api);
  await api.patch(`${PODS}/p`, { metadata: { labels: { a: "b" } } });
  const containerStatuses = [{ name: "c", state: { running: null, terminated: ENDED } }];
  await api.patch(`${PODS}/p/status`, { status: { containerStatuses } }, STRATEGIC);
  assertEquals(await rest(), "simulated container c ended with exit code 3\n");
});

Deno.test("Log that is followed ends when its container starts again", async () => {
  using api = await started();
  const { rest } = await followed(api);
  const running = { startedAt: "2026-01-01T00:02:00Z" };
  const containerStatuses = [{ name: "c", state: { running }, lastState: { terminated: ENDED } }];
  await api.patch(`${PODS}/p/status`, { status: { containerStatuses } }, STRATEGIC);
  assertEquals(await rest(), "simulated container c ended with exit code 3\n");
});

Deno.test("Log that is followed ends with its pod", async () => {
  using api = await started();
  const { rest } = await followed(api);
  await api.delete(`${PODS}/p?gracePeriodSeconds=0`);
  assertEquals(await rest(), "");
});

Deno.test("Log that is followed ends when it has come to its limit of bytes", async () => {
  using api = await started();
  assertEquals((await api.get(`${PODS}/p/log?follow=true&limitBytes=9`)).body, "simulated");
  const line = "simulated container c (image nginx:1) of default/p on n started\n";
  assertEquals((await api.get(`${PODS}/p/log?follow=true&limitBytes=${line.length}`)).body, line);
  const { rest } = await followed(api, `&limitBytes=${line.length + 9}`);
  const containerStatuses = [{ name: "c", state: { running: null, terminated: ENDED } }];
  await api.patch(`${PODS}/p/status`, { status: { containerStatuses } }, STRATEGIC);
  assertEquals(await rest(), "simulated");
});

Deno.test("Watches: other streams about a resource end with its watches, as a followed log with the server", async () => {
  using api = await started();
  const { rest } = await followed(api);
  api.server.closeWatches({ resource: "configmaps" });
  api.server.close();
  assertEquals(await rest(), "");
});

Deno.test("Log that nobody follows any more is not kept", async () => {
  using api = await started();
  const controller = new AbortController();
  const { reader } = await followed(api, "", controller.signal);
  controller.abort();
  await assertRejects(() => reader.read(), DOMException);
  const { reader: other } = await followed(api);
  await other.cancel();
  api.server.close();
});

const LOGS: ReadonlyArray<readonly [query: string, code: number, why: string]> = [
  ["container=z", 400, "container z is not valid for pod p"],
  ["", 400, "a container name must be specified for pod p, choose one of: [c d]"],
  ["container=c&tailLines=-1", 422, "tailLines: Invalid value: -1: must be greater than or equal to 0"],
  ["container=c&tailLines=x", 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
  ["container=c&sinceSeconds=0", 422, "sinceSeconds: Invalid value: 0: must be greater than 0"],
  ["container=c&limitBytes=0", 422, "limitBytes: Invalid value: 0: must be greater than 0"],
];
for (const [query, code, why] of LOGS) {
  Deno.test(`Log refuses "${query}" of a pod with two containers`, async () => {
    using api = await started({ containers: [container(), container({ name: "d" })] });
    const { status, body } = await api.get(`${PODS}/p/log?${query}`);
    assertEquals(status, code);
    assertStringIncludes(body.message, why);
  });
}

for (const subresource of ["exec", "attach", "portforward", "proxy"]) {
  Deno.test(`Nothing simulates ${subresource}, which a missing pod has not either`, async () => {
    using api = await withPod();
    const { status, body } = await api.get(`${PODS}/p/${subresource}`);
    assertEquals([status, body.reason], [501, "NotImplemented"]);
    assertStringIncludes(body.message, `the subresource "${subresource}" is not simulated by this server`);
    assertEquals((await api.get(`${PODS}/none/${subresource}`)).status, 404);
  });
}
