import { assertEquals } from "@std/assert";
import { node, pod, pods, service, ServiceRig } from "./service_rig.ts";

const OTHER_PORT = service({ ports: [{ name: "http", port: 80, targetPort: 81, protocol: "TCP" }] });

Deno.test("a Service without pods has an empty slice, which is written once and filled later", async () => {
  const rig = new ServiceRig();
  rig.show(service());
  assertEquals(await rig.sync(), ["POST"]);
  assertEquals(rig.stored[0].ports ?? [], []);
  assertEquals(await rig.sync(), []);
  const [{ metadata: { name } = {} }] = rig.stored;
  rig.show(service(), pods(1));
  assertEquals(await rig.sync(), [`PUT ${name}`]);
  rig.show(service(), []);
  assertEquals(await rig.sync(), [`PUT ${name}`]);
  assertEquals([rig.stored[0].ports ?? [], rig.sizes], [[], "0"]);
  assertEquals(await rig.sync(), []);
});

Deno.test("endpoints fill slices one after the other", async () => {
  for (
    const [most, sizes] of [[50, "50,50,50,50,50"], [80, "80,80,80,10"], [100, "100,100,50"], [150, "150,100"], [
      250,
      "250",
    ], [500, "250"]] as const
  ) {
    const rig = new ServiceRig({ mostEndpoints: most });
    rig.show(service(), pods(250));
    assertEquals((await rig.sync()).length, sizes.split(",").length);
    assertEquals(rig.sizes, sizes);
    assertEquals(await rig.sync(), []);
  }
});

Deno.test("slices that another manager has half filled are left as they are, or take what is missing", async () => {
  const cases: readonly (readonly [pods: number, sizes: number[], writes: string[], after: string])[] = [
    [250, [62, 61], ["POST", "PUT web-0"], "100,89,61"],
    [300, [74, 74], ["POST", "POST"], "100,74,74,52"],
    [300, Array(10).fill(30), [], Array(10).fill(30).join()],
    [31, [10, 20], ["PUT web-1"], "21,10"],
  ];
  for (const [count, sizes, writes, after] of cases) {
    const rig = new ServiceRig();
    assertEquals(await rig.takeOver(service(), pods(count), sizes), writes);
    assertEquals(rig.sizes, after);
    assertEquals(await rig.sync(), []);
  }
});

Deno.test("another port has slices recycled and packed anew", async () => {
  const rig = new ServiceRig();
  await rig.takeOver(service(), pods(300), Array(10).fill(30));
  rig.show(OTHER_PORT, pods(300));
  const writes = await rig.sync();
  assertEquals(
    writes.map((write) => write.split(" ")[0]).join(),
    "PUT,PUT,PUT,DELETE,DELETE,DELETE,DELETE,DELETE,DELETE,DELETE",
  );
  assertEquals(rig.sizes, "100,100,100");
});

Deno.test("slices that are written anyway are filled first, the fullest before the others", async () => {
  const rig = new ServiceRig();
  await rig.takeOver(service(), pods(100), [80, 20]);
  const changed = pods(115).map((one, i) => i === 3 || i === 90 ? pod(i, { ready: false }) : one);
  rig.show(service(), changed);
  assertEquals((await rig.sync()).sort(), ["PUT web-0", "PUT web-1"]);
  assertEquals(rig.sizes, "95,20");
});

Deno.test("an endpoint that two slices have keeps one place", async () => {
  const rig = new ServiceRig();
  await rig.takeOver(service(), pods(4), [2, 2]);
  const [one, two] = rig.stored;
  rig.given({ ...two, endpoints: [...two.endpoints!, one.endpoints![0]] });
  assertEquals(await rig.sync(), ["PUT web-1"]);
  assertEquals(rig.sizes, "2,2");
});

Deno.test("pods on which a name leads to other numbers have slices of their own", async () => {
  const named = (i: number) =>
    pod(i, {
      spec: { containers: [{ name: "c", ports: [{ name: "http", containerPort: 8000 + i % 5, protocol: "TCP" }] }] },
    });
  const rig = new ServiceRig();
  rig.show(
    service({ ports: [{ name: "http", port: 80, targetPort: "http", protocol: "TCP" }] }),
    Array.from({ length: 300 }, (_, i) => named(i)),
  );
  assertEquals(await rig.sync(), Array(5).fill("POST"));
  assertEquals(rig.sizes, "60,60,60,60,60");
  assertEquals(await rig.sync(), []);
});

Deno.test("1,200 endpoints that come and go are all in slices, and in one each, after every sync", async () => {
  const rig = new ServiceRig();
  rig.show(service(), pods(1200));
  await rig.sync();
  assertEquals(rig.sizes, Array(12).fill(100).join());
  let seed = 7;
  const random = () => (seed = seed * 48271 % 2147483647) / 2147483647;
  for (let round = 0; round < 12; round++) {
    const some = Array.from({ length: 1500 }, (_, i) => i).filter(() => random() < 0.8).map((i) =>
      pod(i, { ready: random() < 0.9 })
    );
    rig.show(service(), some);
    await rig.sync();
    const names = rig.stored.flatMap(({ endpoints }) => (endpoints ?? []).map(({ targetRef }) => targetRef?.name));
    assertEquals(names.toSorted(), some.map(({ metadata }) => metadata?.name).sort());
    assertEquals(rig.stored.every(({ endpoints }) => (endpoints ?? []).length <= 100), true);
    assertEquals(await rig.sync(), [], "settled");
  }
});

Deno.test("a step of work on 5,000 pods lets others have their turns", async () => {
  const rig = new ServiceRig();
  const { clock } = rig.world;
  const [monotonicMs, nextTurn] = [clock.monotonicMs.bind(clock), clock.nextTurn.bind(clock)];
  let [ms, turns] = [0, 0];
  clock.monotonicMs = () => monotonicMs() + (ms += 0.16); // small steps: one look for 16 of them
  clock.nextTurn = () => (turns++, nextTurn());
  rig.nodes.indexer.replace([node(0), node(1), node(2)], "1");
  rig.show(service(), pods(5000));
  await rig.sync();
  assertEquals(rig.stored.length, 50);
  assertEquals(turns > 10, true, `${turns} turns`);
});
