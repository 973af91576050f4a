import { assertEquals, assertRejects } from "@std/assert";
import { type Pod, PODS } from "../../../../src/api/mod.ts";
import { LivePods } from "../../../../src/controllers/persistentvolumeclaim_protection/live_pods.ts";
import { ServerRig } from "../server_rig.ts";

const SIGNAL = new AbortController().signal;

function pod(name: string, claims: readonly string[]): Pod {
  const volumes = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  return {
    metadata: { namespace: "a", name, uid: `uid-${name}`, annotations: { large: "x" } },
    spec: { containers: [{ name: "c", image: "nginx" }], nodeName: "n", volumes },
    status: { phase: "Running", message: "large" },
  };
}

function setUp(...pods: Pod[]) {
  const rig = new ServerRig();
  rig.store(PODS, ...pods);
  const live = new LivePods({ client: rig.client, namespace: "a" });
  const names = async (claim: string) => (await live.naming(claim, SIGNAL)).map(({ metadata }) => metadata?.name);
  return { rig, live, names };
}

Deno.test("LivePods: Nothing is listed before somebody asks", () => {
  const { rig } = setUp(pod("p", ["c"]));
  assertEquals(rig.calls, []);
});

Deno.test("LivePods: A list that succeeded serves all who ask later", async () => {
  const { rig, names } = setUp(pod("p", ["c", "d"]), pod("q", ["c"]));
  rig.store(PODS, { ...pod("r", ["c"]), metadata: { namespace: "b", name: "r" } });
  assertEquals([await names("c"), await names("d"), await names("e")], [["p", "q"], ["p"], []]);
  assertEquals(rig.calls, ["LIST pods a"]);
});

Deno.test("LivePods: A list that failed is an error for the caller that asked; the next caller lists again", async () => {
  const { rig, names } = setUp(pod("p", ["c"]));
  rig.fail("LIST pods", 403, 1);
  await assertRejects(() => names("c"), Error, "live list of pods failed: no luck");
  assertEquals(await names("c"), ["p"]);
  assertEquals(rig.calls.length, 2);
});

Deno.test("LivePods: Only what decides about claims is kept of each pod, and nothing of pods that name none", async () => {
  const { live } = setUp(pod("p", ["c"]));
  const [kept] = await live.naming("c", SIGNAL);
  assertEquals(Object.keys(kept.metadata!).filter((key) => kept.metadata![key as "name"] !== undefined), [
    "namespace",
    "name",
    "uid",
  ]);
  const volumes = [{ name: "c", persistentVolumeClaim: { claimName: "c" } }];
  assertEquals([kept.spec as unknown, kept.status], [{ nodeName: "n", volumes }, { phase: "Running" }]);
});

Deno.test("LivePods reads a namespace of any size in pages", async () => {
  const pods = Array.from({ length: 1100 }, (_, i) => pod(`p${i}`, i % 2 ? ["c"] : []));
  const { rig, live } = setUp(...pods);
  assertEquals((await live.naming("c", SIGNAL)).length, 550);
  assertEquals(rig.calls.length, 5);
});

Deno.test("LivePods gives up on a server that answers the same token again", async () => {
  const page = { metadata: { continue: "again" }, items: [] };
  const client = { list: () => Promise.resolve(page) } as unknown as ServerRig["client"];
  const live = new LivePods({ client, namespace: "a" });
  await assertRejects(() => live.naming("c", SIGNAL), Error, "without making progress");
});
