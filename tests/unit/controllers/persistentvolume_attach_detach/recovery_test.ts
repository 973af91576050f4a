/** What a manager makes of what it finds. */
import { assert, assertEquals } from "@std/assert";
import { NODES, PODS, VOLUMEATTACHMENTS } from "../../../../src/api/mod.ts";
import { attachmentName } from "../../../../src/controllers/volumes/mod.ts";
import { attachmentOf, AttachRig, DRIVER } from "./rig.ts";

const MINUTE_MS = 60_000;
const POST = `POST volumeattachments ${attachmentOf("v", "n")}`;
const DELETE = `DELETE volumeattachments ${attachmentOf("v", "n")}`;
const PATCH = "PATCH nodes n";

function attachment(rig: AttachRig, volume: string, nodeName: string, attached = true): void {
  rig.put(VOLUMEATTACHMENTS, {
    metadata: { name: attachmentOf(volume, nodeName), finalizers: ["x"] },
    spec: { attacher: DRIVER, nodeName, source: { persistentVolumeName: volume } },
    status: { attached },
  });
}

Deno.test('recover: "What the status of a node names is attached", whatever it is, and a pod keeps it', async () => {
  await using rig = new AttachRig();
  rig.node("n", { attached: ["v"], inUse: ["v"] });
  rig.claim("v");
  attachment(rig, "v", "n");
  rig.pod("p", "n", ["v"]);
  await rig.start();
  await rig.advance(10 * MINUTE_MS);
  assertEquals([rig.writes, rig.events, rig.reported("n")], [[PATCH], [], ["v"]]);
  const actual =
    'attachdetach_controller_total_volumes{plugin_name="kubernetes.io/csi:d.example",state="actual_state_of_world"} 1';
  assert(rig.metrics.includes(actual), "its description is known");
});

Deno.test("recover: what a node names and nobody wants is detached by its name", async () => {
  await using rig = new AttachRig();
  rig.node("n", { attached: ["v"] });
  attachment(rig, "v", "n");
  await rig.start();
  await rig.advance(10);
  assertEquals(rig.writes.filter((text) => text === DELETE), [DELETE]);
  assertEquals(rig.reported("n"), []);
});

Deno.test('recover: "What a VolumeAttachment asks for and no node names may be attached"', async () => {
  await using rig = new AttachRig();
  rig.node("n");
  rig.claim("v");
  attachment(rig, "v", "n");
  await rig.start();
  await rig.advance(MINUTE_MS);
  assertEquals(rig.writes, [], "it counts as in use until the kubelet is heard");
  rig.node("n");
  await rig.advance(10);
  assertEquals(rig.writes, [DELETE]);
});

Deno.test("recover: a pod's volume that no node names is attached again, which changes nothing", async () => {
  await using rig = new AttachRig();
  rig.node("n");
  rig.claim("v");
  attachment(rig, "v", "n");
  rig.pod("p", "n", ["v"]);
  await rig.start();
  await rig.advance(10);
  assertEquals([rig.writes, rig.reported("n")], [[PATCH], ["v"]]);
});

Deno.test("recover: a volume that was attached and not yet reported is not attached elsewhere", async () => {
  await using rig = new AttachRig();
  rig.node("n");
  rig.node("m");
  rig.claim("v");
  attachment(rig, "v", "n");
  rig.pod("q", "m", ["v"]);
  await rig.start();
  await rig.advance(MINUTE_MS);
  assertEquals(rig.writes, []);
  rig.node("n");
  await rig.advance(10);
  rig.release("v", "n");
  await rig.advance(10);
  assertEquals(rig.writes, [DELETE, `POST volumeattachments ${attachmentOf("v", "m")}`]);
});

Deno.test('recover: "What pods want is known when it ends", together with what the volumes are that nodes name', async () => {
  await using rig = new AttachRig();
  for (let i = 0; i < 200; i++) {
    const [node, volume] = [`n${i % 20}`, `v${i}`];
    rig.claim(volume);
    attachment(rig, volume, node);
    if (i % 2) rig.pod(`p${i}`, node, [volume]);
  }
  for (let n = 0; n < 20; n++) {
    const volumes = Array.from({ length: 200 }, (_, i) => i).filter((i) => i % 20 === n).map((i) => `v${i}`);
    rig.node(`n${n}`, { attached: volumes, inUse: volumes });
  }
  await rig.start();
  await rig.advance(10 * MINUTE_MS);
  assertEquals(rig.writes.filter((text) => !text.startsWith("PATCH")), []);
});

Deno.test("recover: a migrated volume is known by the name that its driver gives it", async () => {
  await using rig = new AttachRig();
  const [driver, handle] = ["pd.csi.storage.gke.io", "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"];
  rig.claim("v", ["ReadWriteOnce"], { gcePersistentDisk: { pdName: "d" } });
  rig.node("n", { attached: [`kubernetes.io/csi/${driver}^${handle}`] });
  rig.put(VOLUMEATTACHMENTS, {
    metadata: { name: attachmentName({ volumeHandle: handle, driver, nodeName: "n" }) },
    spec: { attacher: driver, nodeName: "n", source: { persistentVolumeName: "v" } },
    status: { attached: true },
  });
  rig.pod("p", "n", ["v"]);
  await rig.start();
  await rig.advance(10 * MINUTE_MS);
  assertEquals(rig.writes, [PATCH]);
});

Deno.test("recover: attachments without a volume, or of a volume that is gone, are nobody's business", async () => {
  await using rig = new AttachRig();
  rig.node("n");
  attachment(rig, "gone", "n");
  rig.put(VOLUMEATTACHMENTS, {
    metadata: { name: "inline" },
    spec: { attacher: DRIVER, nodeName: "n", source: { inlineVolumeSpec: {} } },
  });
  await rig.start();
  rig.node("n");
  await rig.advance(10 * MINUTE_MS);
  assertEquals(rig.writes, []);
});

for (const at of [1, 2, 3, 4, 5]) {
  Deno.test(`a manager that is killed at write ${at} of moving a volume is followed by one that moves it`, async () => {
    await using rig = new AttachRig();
    for (const node of ["n", "m"]) rig.node(node);
    rig.claim("v");
    let writes = 0;
    const deadly = new Promise<void>((resolve) => {
      rig.onWrite = () => {
        if (++writes === at) resolve();
      };
    });
    let isDead = false;
    deadly.then(() => isDead = true);
    rig.pod("p", "n", ["v"]);
    await rig.start();
    const step = async () => {
      await rig.advance(100);
      if (isDead) {
        isDead = false;
        await rig.start();
      }
      for (const node of ["n", "m"]) {
        rig.release("v", node);
        const found = rig.attachment("v", node);
        if (found && !found.metadata?.deletionTimestamp && !found.status?.attached) {
          rig.answer("v", node, { attached: true });
        }
        const uses = rig.all(PODS).some(({ spec }) => spec?.nodeName === node) && rig.reported(node).includes("v");
        rig.node(node, { inUse: uses ? ["v"] : [] });
        assert(!(rig.attachment("v", "n")?.status?.attached && rig.attachment("v", "m")?.status?.attached));
      }
    };
    for (let i = 0; i < 30; i++) await step();
    assertEquals(rig.reported("n"), ["v"]);
    rig.remove(PODS, "a/p");
    rig.pod("q", "m", ["v"]);
    for (let i = 0; i < 100; i++) await step();
    assertEquals([rig.reported("n"), rig.reported("m")], [[], ["v"]]);
    assertEquals([rig.attachment("v", "n"), rig.find(NODES, "m")?.status?.volumesInUse?.length], [undefined, 1]);
    assert(writes >= at && [POST].length === 1);
  });
}
