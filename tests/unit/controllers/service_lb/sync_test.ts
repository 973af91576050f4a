/** The rows of the specification's table about Services. */
import { assertEquals } from "@std/assert";
import { type Service, SERVICES } from "../../../../src/api/mod.ts";
import { CloudError, ImplementedElsewhereError, RetryError } from "../../../../src/cloud/mod.ts";
import { FakeCloud } from "../../cloud/fake_cloud.ts";
import { statusError } from "../status_errors.ts";
import { BalancerRig, FINALIZER, node, service } from "./balancer_rig.ts";

const ADDRESS = { ip: "1.2.3.4", ipMode: "VIP" };
const ADD = `{"metadata":{"uid":"uid-of-web","finalizers":["${FINALIZER}"]}}`;
const REMOVE = `{"metadata":{"uid":"uid-of-web","$deleteFromPrimitiveList/finalizers":["${FINALIZER}"]}}`;
const SAY = '{"metadata":{"uid":"uid-of-web"},"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]}}}';
const CLEAR = '{"metadata":{"uid":"uid-of-web"},"status":{"loadBalancer":{"ingress":null}}}';
const patches = (...bodies: string[]) => bodies.map((body) => `patch services/status a/web ${body}`);

const ENSURED = [
  "Normal EnsuringLoadBalancer a/web Ensuring load balancer",
  "Normal EnsuredLoadBalancer a/web Ensured load balancer",
];
const DELETED = [
  "Normal DeletingLoadBalancer a/web Deleting load balancer",
  "Normal DeletedLoadBalancer a/web Deleted load balancer",
];
const ensuring = ENSURED[0];
const failed = (why: string) => `Warning SyncLoadBalancerFailed a/web Error syncing load balancer: ${why}`;

/** With our finalizer, and what the controller says of a balancer. */
function settled(name = "web", spec: Service["spec"] = {}, metadata: Service["metadata"] = {}): Service {
  return {
    ...service(name, spec, { finalizers: [FINALIZER], ...metadata }),
    status: { loadBalancer: { ingress: [ADDRESS] } },
  };
}

interface Started {
  readonly objects: readonly Service[];
  /** Names of the Services that have a balancer in the cloud. */
  readonly balancers?: readonly string[];
  readonly nodes?: number;
  prepare?(cloud: FakeCloud, rig: BalancerRig): void;
}

async function started({ objects, balancers = [], nodes = 1, prepare }: Started) {
  const cloud = new FakeCloud();
  for (const name of balancers) cloud.balancers.set(`uid-of-${name}`, cloud.status);
  const rig = new BalancerRig(cloud.provider);
  rig.put(...objects, ...Array.from({ length: nodes }, (_, i) => node(`n${i}`)));
  prepare?.(cloud, rig);
  await rig.start();
  return { cloud, rig, methods: () => cloud.requests.splice(0).map(({ method }) => method) };
}

Deno.test("a ClusterIP Service without the finalizer is left alone", async () => {
  const { rig, methods } = await started({ objects: [service("web", { type: "ClusterIP" })] });
  assertEquals([methods(), rig.said()], [[], { writes: [], events: [] }]);
  await rig.end();
});

Deno.test("a Service of another class is left alone", async () => {
  const { rig, methods } = await started({ objects: [service("web", { loadBalancerClass: "example.com/own" })] });
  assertEquals([methods(), rig.said()], [[], { writes: [], events: [] }]);
  await rig.end();
});

for (const protocol of ["TCP", "UDP", "SCTP"]) {
  Deno.test(`a Service of ${protocol} gets the finalizer, then its balancer, then its address`, async () => {
    const { rig, methods } = await started({
      objects: [service("web", { ports: [{ port: 80, protocol, targetPort: 80, nodePort: 30080 }] })],
    });
    assertEquals([methods(), rig.said()], [["ensureLoadBalancer"], { writes: patches(ADD, SAY), events: ENSURED }]);
    assertEquals(rig.find("web")?.status?.loadBalancer?.ingress, [ADDRESS]);
    await rig.end();
  });
}

Deno.test("a Service that has the finalizer gets only its address", async () => {
  const { rig } = await started({ objects: [service("web", {}, { finalizers: [FINALIZER] })] });
  assertEquals(rig.said().writes, patches(SAY));
  await rig.end();
});

Deno.test("a Service that says what the cloud says is not written, though the API server has filled in a mode", async () => {
  const { rig, methods } = await started({ objects: [settled()], balancers: ["web"] });
  assertEquals([methods(), rig.said()], [["ensureLoadBalancer"], { writes: [], events: ENSURED }]);
  await rig.end();
});

/** The API server empties the status of a Service that becomes a ClusterIP. */
const CLEANUPS = {
  "became a ClusterIP": [service("web", { type: "ClusterIP" }, { finalizers: [FINALIZER] }), patches(REMOVE)],
  "is being deleted": [settled("web", {}, { deletionTimestamp: "2026-01-01T00:00:00Z" }), patches(REMOVE, CLEAR)],
} as const;

for (const [how, [object, cleanup]] of Object.entries(CLEANUPS)) {
  Deno.test(`a Service that ${how} loses its balancer, then the finalizer`, async () => {
    const { rig, methods } = await started({ objects: [object], balancers: ["web"] });
    assertEquals(methods(), ["getLoadBalancer", "ensureLoadBalancerDeleted"]);
    assertEquals(rig.said(), { writes: cleanup, events: DELETED });
    assertEquals(rig.find("web")?.metadata?.finalizers, undefined);
    await rig.resync();
    assertEquals([methods(), rig.said()], [[], { writes: [], events: [] }]);
    await rig.end();
  });

  Deno.test(`a Service that ${how} loses the finalizer though there is no balancer`, async () => {
    const { rig, methods } = await started({ objects: [object] });
    assertEquals(methods(), ["getLoadBalancer"]);
    assertEquals(rig.said(), { writes: cleanup, events: DELETED.slice(1) });
    await rig.end();
  });

  Deno.test(`a Service that ${how} keeps finalizer and address while it is not known whether there is a balancer`, async () => {
    const { rig, cloud, methods } = await started({
      objects: [object],
      balancers: ["web"],
      prepare: ({ failures }) => failures.set("getLoadBalancer", new CloudError("no luck")),
    });
    const why = "failed to check if load balancer exists before cleanup: no luck";
    assertEquals([methods(), rig.said()], [["getLoadBalancer"], { writes: [], events: [failed(why)] }]);
    cloud.failures.clear();
    await rig.settle(5_000);
    assertEquals(rig.said().writes, cleanup);
    await rig.end();
  });

  Deno.test(`a Service that ${how} keeps the finalizer until its balancer is gone`, async () => {
    const { rig } = await started({
      objects: [object],
      balancers: ["web"],
      prepare: ({ failures }) => failures.set("ensureLoadBalancerDeleted", new CloudError("no luck")),
    });
    const events = [DELETED[0], failed("failed to delete load balancer: no luck")];
    assertEquals(rig.said(), { writes: [], events });
    await rig.end();
  });

  Deno.test(`a Service that ${how} loses the finalizer if somebody else sees to its balancer`, async () => {
    const { rig } = await started({
      objects: [object],
      balancers: ["web"],
      prepare: ({ failures }) => failures.set("ensureLoadBalancerDeleted", new ImplementedElsewhereError()),
    });
    assertEquals(rig.said(), { writes: cleanup, events: DELETED });
    await rig.end();
  });
}

Deno.test("a ClusterIP Service that is still seen with an address has it taken away", async () => {
  const { rig } = await started({ objects: [] });
  rig.client.onChange = () => {};
  rig.put(service("web", { type: "ClusterIP" }, { finalizers: [FINALIZER] }));
  rig.services.set(settled("web", { type: "ClusterIP" }));
  await rig.settle();
  assertEquals(rig.said().writes, patches(REMOVE, CLEAR));
  await rig.end();
});

Deno.test("a Service that is being deleted without our finalizer loses its balancer, and is not given the finalizer", async () => {
  const object = service("web", {}, { finalizers: ["example.com/own"], deletionTimestamp: "2026-01-01T00:00:00Z" });
  const { rig, methods } = await started({ objects: [object], balancers: ["web"] });
  assertEquals(methods(), ["getLoadBalancer", "ensureLoadBalancerDeleted"]);
  assertEquals(rig.said(), { writes: [], events: DELETED });
  await rig.end();
});

Deno.test("a Service that others still hold back is not looked at again for having lost our finalizer", async () => {
  const metadata = { finalizers: [FINALIZER, "example.com/own"], deletionTimestamp: "2026-01-01T00:00:00Z" };
  const { rig, methods } = await started({ objects: [service("web", {}, metadata)], balancers: ["web"] });
  assertEquals(methods(), ["getLoadBalancer", "ensureLoadBalancerDeleted"]);
  assertEquals(rig.find("web")?.metadata?.finalizers, ["example.com/own"]);
  await rig.end();
});

Deno.test("a Service whose balancer cannot be made is tried again after 5 s, 10 s, and so on up to 300 s", async () => {
  const { rig, cloud, methods } = await started({
    objects: [service("web")],
    prepare: ({ failures }) => failures.set("ensureLoadBalancer", new CloudError("no luck")),
  });
  assertEquals(rig.said(), {
    writes: patches(ADD),
    events: [ensuring, failed("failed to ensure load balancer: no luck")],
  });
  for (const seconds of [5, 10, 20, 40, 80, 160, 300, 300]) {
    methods();
    await rig.settle(seconds * 1000 - 2);
    assertEquals(methods(), [], `before ${seconds} s`);
    await rig.settle(2);
    assertEquals(methods(), ["ensureLoadBalancer"], `after ${seconds} s`);
  }
  cloud.failures.clear();
  await rig.settle(300_000);
  assertEquals(rig.find("web")?.status?.loadBalancer?.ingress, [ADDRESS]);
  await rig.end();
});

Deno.test("a Service that the cloud wants to be asked for later is tried again then, and that is not a failure", async () => {
  let error: Error | undefined = new CloudError("not ready", { cause: new RetryError("not ready", 42_000) });
  const { rig, methods } = await started({
    objects: [service("web")],
    prepare: ({ failures }) => failures.set("ensureLoadBalancer", () => error),
  });
  methods();
  await rig.settle(41_990);
  assertEquals(methods(), []);
  error = new CloudError("no luck");
  await rig.settle(20);
  assertEquals(methods(), ["ensureLoadBalancer"]);
  await rig.settle(5_000);
  assertEquals(methods(), ["ensureLoadBalancer"], "after 5 s: it was the first failure");
  await rig.end();
});

for (const afterMs of [0, -1, NaN, Infinity]) {
  Deno.test(`a cloud that wants to be asked again after ${afterMs} ms is not asked all the time`, async () => {
    const { rig, cloud } = await started({
      objects: [service("web")],
      prepare: ({ failures }) => failures.set("ensureLoadBalancer", new RetryError("again", afterMs)),
    });
    await rig.settle(1_000);
    assertEquals(cloud.requests.length <= 12, true, `${cloud.requests.length} requests`);
    await rig.settle(10_000);
    assertEquals(cloud.requests.length > 1, true);
    await rig.end();
  });
}

Deno.test("a Service that somebody else sees to keeps the finalizer, and gets no address", async () => {
  const { rig } = await started({
    objects: [service("web")],
    prepare: ({ failures }) => failures.set("ensureLoadBalancer", new ImplementedElsewhereError()),
  });
  assertEquals(rig.said(), { writes: patches(ADD), events: [ensuring] });
  await rig.settle(600_000);
  assertEquals(rig.said(), { writes: [], events: [] });
  await rig.end();
});

Deno.test("that somebody else sees to a Service counts only as the error itself", async () => {
  const cause = new ImplementedElsewhereError();
  const { rig } = await started({
    objects: [service("web")],
    prepare: ({ failures }) => failures.set("ensureLoadBalancer", new CloudError("wrapped", { cause })),
  });
  assertEquals(rig.said().events, [ensuring, failed("failed to ensure load balancer: wrapped")]);
  await rig.end();
});

Deno.test("an address that cannot be written is written later", async () => {
  const { rig } = await started({
    objects: [settled("web", {}, {}), { ...service("shop", {}, { finalizers: [FINALIZER] }) }],
    balancers: ["web"],
    prepare: (_, { client }) =>
      client.fail("patch services/status a/shop", statusError(409, "Conflict", "no"), { times: 1 }),
  });
  const { events } = rig.said();
  assertEquals(
    events.find((line) => line.startsWith("Warning")),
    "Warning SyncLoadBalancerFailed a/shop Error syncing load balancer: failed to update load balancer status: no",
  );
  await rig.settle(5_000);
  assertEquals(rig.find("shop")?.status?.loadBalancer?.ingress, [ADDRESS]);
  await rig.end();
});

Deno.test("an address need not be written for a Service that is gone", async () => {
  const { rig } = await started({
    objects: [service("web", {}, { finalizers: [FINALIZER] })],
    prepare: (_, { client }) => client.fail("patch services/status", statusError(404, "NotFound", "gone")),
  });
  assertEquals(rig.said().events, ENSURED);
  await rig.end();
});

Deno.test("nothing is made in the cloud without the finalizer", async () => {
  const { rig, methods } = await started({
    objects: [service("web")],
    prepare: (_, { client }) => client.fail("patch services/status", statusError(403, "Forbidden", "no"), { times: 1 }),
  });
  assertEquals(methods(), []);
  const why = "failed to add load balancer cleanup finalizer: no";
  assertEquals(rig.said().events, [ensuring, failed(why)]);
  rig.put(node("late"));
  await rig.settle();
  assertEquals(methods(), [], "a new node is none of a balancer's that was never made");
  await rig.settle(5_000);
  assertEquals(methods(), ["ensureLoadBalancer"]);
  await rig.end();
});

Deno.test("a balancer without nodes is made all the same", async () => {
  const { rig, cloud } = await started({ objects: [service("web")], nodes: 0 });
  assertEquals(cloud.requests, [{ method: "ensureLoadBalancer", about: "web", nodes: [] }]);
  const unavailable = "Warning UnAvailableLoadBalancer a/web There are no available nodes for LoadBalancer";
  assertEquals(rig.said().events, [ENSURED[0], unavailable, ENSURED[1]]);
  await rig.end();
});

const CHANGES: Readonly<Record<string, readonly [boolean, (service: Service) => void]>> = {
  labels: [false, ({ metadata }) => metadata!.labels = { a: "b" }],
  selector: [false, ({ spec }) => spec!.selector = { a: "b" }],
  annotations: [true, ({ metadata }) => metadata!.annotations = { a: "b" }],
  ports: [true, ({ spec }) => spec!.ports![0].port = 81],
  "a port's appProtocol": [true, ({ spec }) => spec!.ports![0].appProtocol = "http"],
  loadBalancerSourceRanges: [true, ({ spec }) => spec!.loadBalancerSourceRanges = ["10.0.0.0/8"]],
  externalIPs: [true, ({ spec }) => spec!.externalIPs = ["10.0.0.1"]],
  externalTrafficPolicy: [true, ({ spec }) => spec!.externalTrafficPolicy = "Local"],
  sessionAffinity: [true, ({ spec }) => spec!.sessionAffinity = "ClientIP"],
  loadBalancerIP: [true, ({ spec }) => spec!.loadBalancerIP = "10.0.0.1"],
  "the number of ipFamilies": [true, ({ spec }) => spec!.ipFamilies = ["IPv4", "IPv6"]],
  "the finalizer, which somebody removes": [true, ({ metadata }) => metadata!.finalizers = []],
};

for (const [what, [matters, change]] of Object.entries(CHANGES)) {
  Deno.test(`a change of ${what} ${matters ? "has the balancer ensured" : "matters to nobody"}`, async () => {
    const { rig, methods } = await started({ objects: [settled("web", { ipFamilies: ["IPv4"] })], balancers: ["web"] });
    methods();
    const changed = rig.find("web")!;
    change(changed);
    rig.put({ ...changed, metadata: { ...changed.metadata, resourceVersion: undefined } });
    await rig.settle();
    assertEquals(methods(), matters ? ["ensureLoadBalancer"] : []);
    assertEquals(rig.find("web")?.metadata?.finalizers, [FINALIZER]);
    await rig.end();
  });
}

Deno.test("a Service of the same name with another UID gets its own balancer, after the old one is deleted", async () => {
  const { rig, cloud, methods } = await started({ objects: [settled()], balancers: ["web"] });
  methods();
  rig.put(service("web", {}, { uid: "uid-new" }));
  await rig.settle();
  assertEquals(methods(), ["ensureLoadBalancerDeleted", "ensureLoadBalancer"]);
  assertEquals([...cloud.balancers.keys()], ["uid-new"]);
  assertEquals(rig.said().events.slice(-4), [...DELETED, ...ENSURED]);
  await rig.end();
});

Deno.test("a Service that was created anew is not ensured while the old one's balancer cannot be deleted", async () => {
  const { rig, cloud, methods } = await started({ objects: [settled()], balancers: ["web"] });
  methods();
  rig.said();
  cloud.failures.set("ensureLoadBalancerDeleted", new CloudError("no luck"));
  rig.put(service("web", {}, { uid: "uid-new" }));
  await rig.settle();
  assertEquals(methods(), ["ensureLoadBalancerDeleted"]);
  assertEquals(rig.said().events, [
    DELETED[0],
    "Warning DeleteLoadBalancerFailed a/web Error deleting load balancer: no luck",
  ]);
  cloud.failures.clear();
  await rig.settle(5_000);
  assertEquals([...cloud.balancers.keys()], ["uid-new"]);
  await rig.end();
});

Deno.test("a Service that somebody deletes without our finalizer loses its balancer", async () => {
  const { rig, cloud } = await started({ objects: [settled()], balancers: ["web"] });
  rig.put(settled("web", {}, { finalizers: ["example.com/own"], deletionTimestamp: "2026-01-01T00:00:00Z" }));
  rig.client.remove(SERVICES, "a/web");
  await rig.settle();
  assertEquals([...cloud.balancers.keys()], []);
  await rig.end();
});

Deno.test("a Service that seems to be gone, though it had our finalizer, keeps its balancer", async () => {
  const { rig, cloud, methods } = await started({ objects: [settled()], balancers: ["web"] });
  methods();
  rig.services.remove("a/web"); // as after an API server was restored from an old backup
  await rig.settle(600_000);
  assertEquals([methods(), [...cloud.balancers.keys()]], [[], ["uid-of-web"]]);
  await rig.end();
});

Deno.test("the finalizer goes to no other Service of the same name", async () => {
  const { rig } = await started({ objects: [] });
  rig.client.onChange = () => {}; // the controller still sees the old one
  rig.put({ ...service("web", {}, { uid: "uid-new" }) });
  rig.services.set(service("web"));
  await rig.settle();
  assertEquals(rig.find("web")?.metadata?.finalizers, undefined);
  assertEquals(rig.said().events.at(-1)?.includes("failed to add load balancer cleanup finalizer"), true);
  await rig.end();
});

const NONSENSE: readonly (readonly [unknown, string])[] = [
  [{ ingress: [{ ip: "1.2.3" }] }, 'ingress[0].ip "1.2.3" is not an IP address'],
  [{ ingress: [{ ip: 7 }] }, "ingress[0].ip 7 is not an IP address"],
  [{ ingress: "all" }, 'ingress "all" is not a list'],
  [{ ingress: [{ hostname: "no host" }] }, 'ingress[0].hostname "no host" is not a DNS name'],
  [{ ingress: [{ hostname: "1.2.3.4" }] }, 'ingress[0].hostname "1.2.3.4" is not a DNS name'],
  [{ ingress: [{ hostname: "a.b", ipMode: "VIP" }] }, "ingress[0].ipMode is given without an ip"],
  [{ ingress: [{ ip: "1.2.3.4", ipMode: "Magic" }] }, 'ingress[0].ipMode "Magic" is neither VIP nor Proxy'],
  [
    { ingress: [{ ip: "1.2.3.4", ports: [{ port: 1e9, protocol: "TCP" }] }] },
    "ingress[0].ports[0].port 1000000000 is not a port",
  ],
  [{ ingress: Array(1_001).fill({ ip: "1.2.3.4" }) }, "ingress has 1001 entries, and may have 1000"],
  [{ ingress: [null] }, "ingress[0] object is not an object"],
];

for (const [status, problem] of NONSENSE) {
  Deno.test(`a cloud's status is not written where ${problem.slice(0, 60)}`, async () => {
    const { rig, cloud } = await started({
      objects: [service("web"), service("shop")],
      prepare: (cloud) => cloud.status = status as FakeCloud["status"],
    });
    const { writes, events } = rig.said();
    assertEquals(writes.filter((line) => line.includes("a/web")), patches(ADD));
    assertEquals(
      events.filter((line) => line.includes("a/web")).at(-1),
      failed(`Cannot use the status of the load balancer that the cloud provider returned: ${problem}`),
    );
    cloud.status = { ingress: [{ ip: "1.2.3.4" }] };
    await rig.settle(5_000);
    assertEquals(rig.find("web")?.status?.loadBalancer?.ingress, [ADDRESS]);
    await rig.end();
  });
}

Deno.test("a cloud's fields that Services do not have are not written", async () => {
  const { rig } = await started({
    objects: [service("web")],
    prepare: (cloud) => cloud.status = { ingress: [{ ip: "1.2.3.4", secret: "x" } as object] },
  });
  assertEquals(rig.said().writes, patches(ADD, SAY));
  await rig.end();
});

Deno.test("a cloud that returns no status is tried again", async () => {
  const { rig } = await started({
    objects: [service("web")],
    prepare: (cloud) => cloud.status = undefined as unknown as FakeCloud["status"],
  });
  assertEquals(rig.said().events.at(-1), failed("service status returned by EnsureLoadBalancer is nil"));
  await rig.end();
});

Deno.test("an error of a megabyte is cut short in events", async () => {
  const { rig } = await started({
    objects: [service("web")],
    prepare: ({ failures }) => failures.set("ensureLoadBalancer", new CloudError("x".repeat(1_000_000))),
  });
  const lengths = rig.said().events.map(({ length }) => length);
  assertEquals(lengths.every((length) => length < 1_200), true, lengths.join());
  await rig.end();
});
