import { assertEquals } from "@std/assert";
import { claim, CLAIMS, container, CORE, podOf, readyHarness } from "./fixtures.ts";
import { type Loose, PODS } from "../harness.ts";

const ANNOTATION = "kubernetes.io/limit-ranger";

const DEFAULTS: readonly {
  readonly what: string;
  readonly limit: Loose;
  readonly pod: Loose;
  readonly resources: Loose[];
  readonly note?: string;
}[] = [
  {
    what: "gives limits and the requests that follow from them",
    limit: { default: { cpu: "1" } },
    pod: podOf("p", container()),
    resources: [{ limits: { cpu: "1" }, requests: { cpu: "1" } }],
    note: "cpu request for container c; cpu limit for container c",
  },
  {
    what: "gives requests of their own",
    limit: { default: { cpu: "1", memory: "1Gi" }, defaultRequest: { cpu: "100m" } },
    pod: podOf("p", container()),
    resources: [{ limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "100m", memory: "1Gi" } }],
    note: "cpu, memory request for container c; cpu, memory limit for container c",
  },
  {
    what: "leaves what is stated",
    limit: { default: { cpu: "1" } },
    pod: podOf("p", container({ limits: { cpu: "2" } })),
    resources: [{ limits: { cpu: "2" }, requests: { cpu: "2" } }],
  },
  {
    what: "names each container that it changed",
    limit: { defaultRequest: { cpu: "1m" } },
    pod: podOf("p", container({}, "a"), container({ requests: { cpu: "1" } }, "b"), container({}, "d")),
    resources: [{ requests: { cpu: "1m" } }, { requests: { cpu: "1" } }, { requests: { cpu: "1m" } }],
    note: "cpu request for container a; cpu request for container d",
  },
];

for (const { what, limit, pod, resources, note } of DEFAULTS) {
  Deno.test(`LimitRanger ${what}`, async () => {
    using api = await readyHarness();
    await api.post(`${CORE}/limitranges`, {
      metadata: { name: "lr" },
      spec: { limits: [{ type: "Container", ...limit }] },
    });
    const { body } = await api.post(PODS, pod);
    assertEquals(body.spec.containers.map((each: Loose) => each.resources), resources);
    assertEquals(body.metadata.annotations?.[ANNOTATION], note && `LimitRanger plugin set: ${note}`);
  });
}

const both = (request: string, limit: string) => container({ requests: { cpu: request }, limits: { cpu: limit } });

const LIMITS: readonly {
  readonly limit: Loose;
  readonly pod: Loose;
  /** Absent where the pod fits. */
  readonly why?: string;
}[] = [
  { limit: { type: "Container", max: { cpu: "1" } }, pod: podOf("p", both("1", "1")) },
  {
    limit: { type: "Container", max: { cpu: "1" } },
    pod: podOf("p", both("1", "2")),
    why: "maximum cpu usage per Container is 1, but limit is 2",
  },
  {
    limit: { type: "Container", min: { cpu: "100m" } },
    pod: podOf("p", both("50m", "1")),
    why: "minimum cpu usage per Container is 100m, but request is 50m",
  },
  {
    limit: { type: "Container", min: { cpu: "100m" }, max: { cpu: "1" } },
    pod: podOf("p", both("50m", "2")),
    why: "[minimum cpu usage per Container is 100m, but request is 50m, " +
      "maximum cpu usage per Container is 1, but limit is 2]",
  },
  {
    limit: { type: "Container", max: { cpu: "1" } },
    pod: podOf("p", both("1", "2"), { ...both("1", "2"), name: "d" }),
    why: "maximum cpu usage per Container is 1, but limit is 2",
  },
  {
    limit: { type: "Container", maxLimitRequestRatio: { cpu: "2" } },
    pod: podOf("p", both("300m", "1")),
    why: "cpu max limit to request ratio per Container is 2, but provided ratio is 3.333333",
  },
  { limit: { type: "Container", maxLimitRequestRatio: { cpu: "2" } }, pod: podOf("p", both("500m", "1")) },
  {
    limit: { type: "Container", maxLimitRequestRatio: { cpu: "2" } },
    pod: podOf("p", container()),
    why: "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0",
  },
  {
    limit: { type: "Container", maxLimitRequestRatio: { cpu: "2" } },
    pod: podOf("p", container({ requests: { cpu: "1" } })),
    why: "cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0",
  },
  {
    limit: { type: "Pod", max: { cpu: "1" } },
    pod: podOf("p", container()),
    why: "maximum cpu usage per Pod is 1.  No limit is specified",
  },
  {
    limit: { type: "Pod", min: { cpu: "1" } },
    pod: podOf("p", container()),
    why: "minimum cpu usage per Pod is 1.  No request is specified",
  },
  {
    limit: { type: "Pod", max: { cpu: "1" } },
    pod: podOf("p", both("600m", "600m"), { ...both("600m", "600m"), name: "d" }),
    why: "maximum cpu usage per Pod is 1, but limit is 1200m",
  },
];

for (const { limit, pod, why } of LIMITS) {
  Deno.test(`LimitRanger with ${JSON.stringify(limit)} says ${why ?? "nothing"}`, async () => {
    using api = await readyHarness();
    await api.post(`${CORE}/limitranges`, { metadata: { name: "lr" }, spec: { limits: [limit] } });
    const { status, body } = await api.post(PODS, pod);
    assertEquals(status, why ? 403 : 201);
    if (why) assertEquals(body.message, `pods "p" is forbidden: ${why}`);
  });
}

const CLAIM_LIMIT = { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } };
const CLAIM_SIZES: readonly (readonly [size: string, why?: string])[] = [
  ["1Gi"],
  ["2048Mi"],
  ["1Mi", "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi"],
  ["3Gi", "maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi"],
];

for (const [size, why] of CLAIM_SIZES) {
  Deno.test(`LimitRanger takes a claim of ${size}: ${why ?? "yes"}`, async () => {
    using api = await readyHarness();
    await api.post(`${CORE}/limitranges`, { metadata: { name: "lr" }, spec: { limits: [CLAIM_LIMIT] } });
    const { body } = await api.post(CLAIMS, claim("c", size));
    assertEquals(body.message, why && `persistentvolumeclaims "c" is forbidden: ${why}`);
  });
}

Deno.test("LimitRanger knows a limit range as soon as it is there, and no longer once it is gone", async () => {
  using api = await readyHarness();
  const tooMuch = (name: string) => podOf(name, container({ limits: { cpu: "2" } }));
  assertEquals((await api.post(PODS, tooMuch("before"))).status, 201);
  const limits = [{ type: "Container", max: { cpu: "1" } }];
  await api.post(`${CORE}/limitranges`, { metadata: { name: "lr" }, spec: { limits } });
  assertEquals((await api.post(PODS, tooMuch("during"))).status, 403);
  await api.put(`${CORE}/limitranges/lr`, { metadata: { name: "lr" }, spec: { limits: [] } });
  assertEquals((await api.post(PODS, tooMuch("changed"))).status, 201);
  await api.put(`${CORE}/limitranges/lr`, { metadata: { name: "lr" }, spec: { limits } });
  assertEquals((await api.post(PODS, tooMuch("again"))).status, 403);
  await api.delete(`${CORE}/limitranges/lr`);
  assertEquals((await api.post(PODS, tooMuch("after"))).status, 201);
});

Deno.test("LimitRanger holds for a resize, and names a pod by what generates its name before it has one", async () => {
  using api = await readyHarness();
  await api.post(PODS, podOf("p", both("1", "1")));
  const limits = [{ type: "Container", max: { cpu: "2" } }];
  await api.post(`${CORE}/limitranges`, { metadata: { name: "lr" }, spec: { limits } });
  const { body } = await api.patch(`${PODS}/p/resize`, { spec: { containers: [both("3", "3")] } });
  assertEquals(body.message, 'pods "p" is forbidden: maximum cpu usage per Container is 2, but limit is 3');
  assertEquals((await api.get(`${PODS}/p`)).body.spec.containers[0].resources.limits, { cpu: "1" });
  const { body: refused } = await api.post(PODS, {
    metadata: { generateName: "web-" },
    spec: { containers: [container()], serviceAccountName: "none" },
  });
  assertEquals(
    refused.message,
    'pods "web-" is forbidden: error looking up service account default/none: serviceaccount "none" not found',
  );
});
