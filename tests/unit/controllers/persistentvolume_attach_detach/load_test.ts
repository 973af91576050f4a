/** Many volumes, and objects as large and odd as the API server admits. */
import { assert, assertEquals } from "@std/assert";
import { NODES, PODS } from "../../../../src/api/mod.ts";
import { AttachRig } from "./rig.ts";

/** Lets the manager go on until so many writes have been made. */
async function untilWritten(rig: AttachRig, prefix: string, count: number): Promise<void> {
  const written = () => rig.writes.filter((text) => text.startsWith(prefix)).length;
  for (let i = 0; i < 500 && written() < count; i++) await rig.advance(1);
  await rig.advance(10);
  assertEquals(written(), count);
}

Deno.test("a thousand volumes on two hundred nodes are attached, and leave again, in seconds", async () => {
  await using rig = new AttachRig();
  const [volumes, nodes] = [1000, 200];
  const nodeOf = (volume: number) => `n${volume % nodes}`;
  for (let n = 0; n < nodes; n++) rig.node(`n${n}`);
  await rig.start();
  const begunMs = performance.now();
  for (let v = 0; v < volumes; v++) {
    rig.claim(`v${v}`);
    rig.pod(`p${v}`, nodeOf(v), [`v${v}`]);
  }
  await untilWritten(rig, "POST", volumes);
  for (let v = 0; v < volumes; v++) rig.answer(`v${v}`, nodeOf(v), { attached: true });
  for (let i = 0; i < 100; i++) await rig.advance(1);
  for (let n = 0; n < nodes; n++) {
    assertEquals(rig.reported(`n${n}`).length, volumes / nodes);
    rig.node(`n${n}`);
  }
  for (let v = 0; v < volumes; v++) rig.remove(PODS, `a/p${v}`);
  await untilWritten(rig, "DELETE", volumes);
  for (let v = 0; v < volumes; v++) rig.release(`v${v}`, nodeOf(v));
  await rig.advance(50);
  const { length } = rig.writes;
  assertEquals(rig.writes.filter((text) => !text.startsWith("PATCH")).length, 2 * volumes);
  assert(length <= 2 * volumes + 4 * volumes / 5 * 2, `${length} writes`);
  assert(performance.now() - begunMs < 20_000);
});

Deno.test("a shared volume on a thousand nodes is looked at node by node", async () => {
  await using rig = new AttachRig();
  rig.claim("v", ["ReadWriteMany"]);
  for (let n = 0; n < 1000; n++) rig.node(`n${n}`);
  await rig.start();
  const begunMs = performance.now();
  for (let n = 0; n < 1000; n++) rig.pod(`p${n}`, `n${n}`, ["v"]);
  await untilWritten(rig, "POST", 1000);
  for (let n = 0; n < 1000; n++) rig.answer("v", `n${n}`, { attached: true });
  await untilWritten(rig, "PATCH", 1000);
  assert(performance.now() - begunMs < 15_000);
});

Deno.test("nodes and volumes with the oddest of names and lists neither end the controller nor keep it busy", async () => {
  await using rig = new AttachRig();
  const odd = [
    "",
    "/",
    "//",
    "a/b",
    "a/b/",
    "kubernetes.io/csi/",
    "kubernetes.io/csi/^",
    "kubernetes.io/csi/d^a^b",
    "__proto__/constructor/x",
  ];
  const many = Array.from({ length: 10_000 }, (_, i) => `kubernetes.io/csi/gone.example^${i}`);
  rig.put(NODES, {
    ...rig.node("odd"),
    status: {
      conditions: [{ type: "Ready", status: "True" }],
      volumesInUse: [...odd, ...many],
      volumesAttached: [...odd, ...many].map((name) => ({ name, devicePath: "x".repeat(50) })),
    },
  });
  rig.claim("v");
  rig.node("n");
  rig.pod("p", "n", ["v"]);
  rig.put(PODS, {
    metadata: { namespace: "a", name: "strange", uid: "s" },
    spec: {
      containers: [],
      nodeName: "n",
      volumes: [
        { name: "a", cinder: { volumeID: "^" } },
        { name: "b", azureDisk: { diskURI: "", diskName: "", kind: "Managed" } },
        { name: "c", awsElasticBlockStore: { volumeID: "aws://%" } },
        { name: "d", persistentVolumeClaim: { claimName: "../v" } },
        { name: "e", persistentVolumeClaim: { claimName: "__proto__" } },
        { name: "f", fc: {} },
      ],
    },
  });
  const begunMs = performance.now();
  await rig.start();
  await rig.advance(60_000);
  rig.answer("v", "n", { attached: true });
  await rig.advance(60_000);
  assert(rig.reported("n").includes("v"));
  assert(rig.find(NODES, "odd")!.status!.volumesAttached!.some(({ name }) => name === many[0]), "it is in use");
  assert(rig.writes.length < 50, `${rig.writes.length} writes in two minutes`);
  assert(performance.now() - begunMs < 20_000);
});
