import { assertEquals, assertRejects } from "@std/assert";
import {
  ENDPOINTS,
  type Endpoints,
  type EndpointSlice,
  type EndpointSubset,
  newControllerRef,
  type ObjectMeta,
  type Service,
} from "../../../../src/api/mod.ts";
import { StaleCacheError } from "../../../../src/cache/mod.ts";
import {
  MANAGED_BY_LABEL,
  ownSlices,
  SERVICE_NAME_LABEL,
  SliceCounts,
  WrittenSlices,
} from "../../../../src/controllers/endpoint_slices/mod.ts";
import type { MirroringContext } from "../../../../src/controllers/endpointslice_mirroring/context.ts";
import { MirroringMetrics } from "../../../../src/controllers/endpointslice_mirroring/metrics.ts";
import { MANAGER } from "../../../../src/controllers/endpointslice_mirroring/mirrored_slice.ts";
import { syncEndpoints } from "../../../../src/controllers/endpointslice_mirroring/sync.ts";
import { SliceRig } from "../endpoint_slices/slice_rig.ts";

const HTTP = [{ name: "http", port: 80, protocol: "TCP" }];
const DNS = [{ name: "dns", port: 53, protocol: "UDP" }];

function source(subsets: EndpointSubset[], metadata: ObjectMeta = {}): Endpoints {
  return { metadata: { namespace: "a", name: "db", uid: "uid-db", ...metadata }, subsets };
}

const PLAIN = source([{ addresses: [{ ip: "10.1.1.1" }, { ip: "10.1.1.2" }], ports: HTTP }]);

function mirror(name: string, of: Endpoints, { metadata, ...more }: Partial<EndpointSlice> = {}): EndpointSlice {
  return {
    metadata: {
      namespace: "a",
      name,
      uid: `uid-${name}`,
      generation: 1,
      ownerReferences: [newControllerRef(of, ENDPOINTS)],
      ...metadata,
      labels: { ...metadata?.labels, [SERVICE_NAME_LABEL]: "db", [MANAGED_BY_LABEL]: MANAGER },
    },
    addressType: "IPv4",
    ports: HTTP,
    endpoints: ["10.1.1.1", "10.1.1.2"].map((ip) => ({ addresses: [ip], conditions: { ready: true } })),
    ...more,
  };
}

function many(count: number): { ip: string }[] {
  return Array.from({ length: count }, (_, i) => ({ ip: `10.2.${i >> 8}.${i & 255}` }));
}

class MirrorRig extends SliceRig {
  readonly context: MirroringContext;

  constructor() {
    super();
    const { world, client, recorder, metrics } = this;
    this.context = {
      world,
      client,
      recorder,
      services: this.services.lister,
      endpoints: this.endpoints.lister,
      slices: ownSlices(this.slices, MANAGER),
      written: new WrittenSlices(world.clock),
      counts: new SliceCounts({
        metrics,
        subsystem: "endpoint_slice_mirroring_controller",
        of: "Endpoints",
        stability: "ALPHA",
        mostEndpoints: 1000,
        fewestSlices: 0,
      }),
      metrics: new MirroringMetrics(metrics, world.clock),
      mostEndpoints: 1000,
    };
  }

  show(endpoints: Endpoints | undefined, spec: Service["spec"] | null = {}): void {
    this.endpoints.indexer.replace(endpoints ? [endpoints] : [], "1");
    this.services.indexer.replace(spec ? [{ metadata: { namespace: "a", name: "db" }, spec }] : [], "1");
  }

  async sync(): Promise<string[]> {
    await this.context.metrics.run(() => syncEndpoints("a/db", this.context));
    this.catchUp();
    return this.written();
  }

  /** Family, ports and numbers of endpoints of all slices. */
  get shapes(): string[] {
    return this.stored.map(({ addressType, ports, endpoints }) =>
      `${addressType} ${(ports ?? []).map(({ port }) => port)} ${(endpoints ?? []).length}`
    ).sort();
  }
}

/** What a sync of an Endpoints leads to. */
async function outcome(
  endpoints: Endpoints,
  ...slices: EndpointSlice[]
): Promise<{ readonly rig: MirrorRig; readonly writes: string[] }> {
  const rig = new MirrorRig();
  rig.given(...slices);
  rig.show(endpoints);
  const writes = await rig.sync();
  assertEquals(await rig.sync(), [], "settled");
  return { rig, writes };
}

Deno.test("what is mirrored: a slice for each family and set of ports", async () => {
  const cases: readonly (readonly [EndpointSubset[], string[]])[] = [
    [[{ ports: HTTP }], []],
    [[{ addresses: [{ ip: "10.1.1.1" }, { ip: "FD00::1" }, { ip: "::ffff:10.1.1.9" }], ports: HTTP }], [
      "IPv4 80 2",
      "IPv6 80 1",
    ]],
    [[{ addresses: [{ ip: "10.1.1.1" }], ports: HTTP }, { addresses: [{ ip: "10.1.1.1" }], ports: DNS }], [
      "IPv4 53,80 1",
    ]],
    [[{ addresses: [{ ip: "10.1.1.1" }], ports: HTTP }, { addresses: [{ ip: "10.1.1.2" }], ports: DNS }], [
      "IPv4 53 1",
      "IPv4 80 1",
    ]],
    [[{ addresses: [{ ip: "10.1.1.1" }], ports: HTTP }, { addresses: [{ ip: "10.1.1.2" }], ports: HTTP }], [
      "IPv4 80 2",
    ]],
    [[{ addresses: [{ ip: "10.1.1.1" }] }], ["IPv4  1"]],
    [[{ addresses: many(1000), ports: HTTP }], ["IPv4 80 1000"]],
  ];
  for (const [subsets, shapes] of cases) {
    const { rig, writes } = await outcome(source(subsets));
    assertEquals(rig.shapes, shapes);
    assertEquals([writes.length, rig.recorder.lines], [shapes.length, []]);
  }
});

Deno.test("an endpoint is what its address says, without what nobody said of it", async () => {
  const targetRef = { kind: "VM", name: "vm", resourceVersion: "7", apiVersion: "example.com/v1" };
  const { rig } = await outcome(source([{
    addresses: [{ ip: "10.1.1.1", hostname: "h", nodeName: "n", targetRef }, { ip: "10.1.1.3" }],
    notReadyAddresses: [{ ip: "10.1.1.2" }, { ip: "10.1.1.3" }],
    ports: HTTP,
  }]));
  assertEquals(rig.stored[0].endpoints, [
    { addresses: ["10.1.1.1"], conditions: { ready: true }, hostname: "h", nodeName: "n", targetRef },
    { addresses: ["10.1.1.2"], conditions: { ready: false } },
    { addresses: ["10.1.1.3"], conditions: { ready: false } },
  ]);
});

Deno.test("malformed addresses, and those beyond the limit, are left out and reported", async () => {
  const { rig } = await outcome(source([{ addresses: many(1001), ports: HTTP }]));
  assertEquals(rig.shapes, ["IPv4 80 1000"]);
  const tooMany =
    "A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. 1 addresses were skipped";
  assertEquals(rig.recorder.lines[0], `Warning TooManyAddressesToMirror a/db ${tooMany}`);
  const bad = await outcome(
    source([{
      addresses: [{ ip: "nonsense" }, { ip: "1.2.3" }],
      notReadyAddresses: [{ ip: "10.1.1.1" }],
      ports: HTTP,
    }]),
  );
  assertEquals(bad.rig.shapes, ["IPv4 80 1"]);
  assertEquals(
    bad.rig.recorder.lines[0],
    "Warning InvalidIPAddress a/db Skipped 2 invalid IP addresses when mirroring to EndpointSlices",
  );
  assertEquals((await outcome(source([{ addresses: [{ ip: "nonsense" }] }]))).rig.shapes, []);
});

Deno.test("a slice that is right is kept; one that is not is written whole under its name", async () => {
  const annotations = { "kubectl.kubernetes.io/last-applied-configuration": "{}", kept: "yes" };
  const labelled = source(PLAIN.subsets!, { labels: { a: "1" }, annotations });
  const cases: readonly (readonly [Endpoints, EndpointSlice, string[]])[] = [
    [PLAIN, mirror("m", PLAIN), []],
    [PLAIN, mirror("m", source([], { uid: "former" })), ["PUT m"]],
    [PLAIN, mirror("m", PLAIN, { metadata: { annotations: { extra: "yes" } } }), ["PUT m"]],
    [labelled, mirror("m", labelled, { metadata: { labels: { a: "1" }, annotations: { kept: "yes" } } }), []],
    [labelled, mirror("m", labelled, { metadata: { labels: { a: "1" }, annotations } }), ["PUT m"]],
    [labelled, mirror("m", labelled, { metadata: { annotations: { kept: "yes" } } }), ["PUT m"]],
    [PLAIN, mirror("m", PLAIN, { endpoints: [] }), ["PUT m"]],
    [source([{ ports: HTTP }]), mirror("m", PLAIN), ["DELETE m"]],
    [source([{ addresses: [{ ip: "10.1.1.1" }], ports: DNS }]), mirror("m", PLAIN), ["PUT m"]],
    [source([{ addresses: [{ ip: "fd00::1" }], ports: HTTP }]), mirror("m", PLAIN), ["POST", "DELETE m"]],
  ];
  for (const [endpoints, slice, expected] of cases) assertEquals((await outcome(endpoints, slice)).writes, expected);
});

Deno.test("slices recycle each other within a family, and more than one of a kind is too many", async () => {
  const both = [{ addresses: [{ ip: "10.1.1.1" }, { ip: "fd00::1" }], ports: DNS }];
  const six = mirror("six", PLAIN, { addressType: "IPv6", endpoints: [{ addresses: ["fd00::1"] }] });
  assertEquals((await outcome(source(both), mirror("four", PLAIN), six)).writes.sort(), ["PUT four", "PUT six"]);
  assertEquals((await outcome(PLAIN, mirror("m1", PLAIN), mirror("m2", PLAIN))).writes, ["DELETE m2"]);
});

Deno.test("what is not to be mirrored loses its slices, and only those", async () => {
  const stranger = mirror("stranger", PLAIN);
  stranger.metadata!.labels = { [SERVICE_NAME_LABEL]: "db", [MANAGED_BY_LABEL]: "somebody" };
  const cases: readonly (readonly [Endpoints | undefined, Service["spec"] | null])[] = [
    [undefined, {}],
    [source(PLAIN.subsets!, { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } }), {}],
    [source(PLAIN.subsets!, { annotations: { "control-plane.alpha.kubernetes.io/leader": "{}" } }), {}],
    [PLAIN, null],
    [PLAIN, { selector: { app: "db" } }],
  ];
  for (const [endpoints, spec] of cases) {
    const rig = new MirrorRig();
    rig.given(mirror("m", PLAIN), stranger);
    rig.show(endpoints, spec);
    assertEquals(await rig.sync(), ["DELETE m"]);
    assertEquals(await rig.sync(), []);
  }
});

Deno.test("Endpoints that are being deleted get no new slices", async () => {
  const rig = new MirrorRig();
  rig.show(source(PLAIN.subsets!, { deletionTimestamp: "2026-01-01T00:00:00Z" }));
  assertEquals(await rig.sync(), []);
});

Deno.test("a cache that does not show what was mirrored is an error without a request", async () => {
  const rig = new MirrorRig();
  rig.show(PLAIN);
  await rig.sync();
  rig.slices.indexer.replace([], "1");
  await assertRejects(() => rig.sync(), StaleCacheError);
  assertEquals(rig.written(), []);
});

Deno.test("slices that could not be deleted are counted in the error", async () => {
  const rig = new MirrorRig();
  rig.given(mirror("m1", PLAIN), mirror("m2", PLAIN));
  rig.show(undefined);
  rig.refuse = (write) =>
    write === "DELETE m1"
      ? Response.json({
        apiVersion: "v1",
        kind: "Status",
        status: "Failure",
        code: 409,
        reason: "Conflict",
        message: "no",
      }, { status: 409 })
      : undefined;
  await assertRejects(
    () => rig.sync(),
    Error,
    "error(s) deleting 1/2 EndpointSlices for a/db Endpoints, including: no",
  );
  assertEquals(rig.written(), ["DELETE m1", "DELETE m2"]);
});

Deno.test("metrics say what was mirrored", async () => {
  const { rig } = await outcome(source([{ addresses: many(1003), ports: HTTP }]));
  const text = rig.metrics.render().split("\n").map((line) => line.replace("endpoint_slice_mirroring_controller_", ""));
  for (
    const line of [
      'changes{operation="create"} 1',
      "endpoints_added_per_sync_sum 1000",
      "endpoints_desired 1000",
      "num_endpoint_slices 1",
      "desired_endpoint_slices 1",
      "addresses_skipped_per_sync_sum 6",
      "endpoints_updated_per_sync_count 2",
      "endpoints_sync_duration_count 2",
    ]
  ) assertEquals(text.includes(line), true, line);
});
