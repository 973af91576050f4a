import { assertEquals } from "@std/assert";
import { type PersistentVolumeClaim, PERSISTENTVOLUMECLAIMS, PERSISTENTVOLUMES } from "../../../../src/api/mod.ts";
import { Client } from "../../../../src/client/mod.ts";
import { FileSystems } from "../../../../src/sandbox/nodes/file_systems.ts";
import { Harness } from "../apiserver/harness.ts";

/** A claim of which its volume has grown to 2Gi, on a server. */
class Rig implements Disposable {
  readonly #api = new Harness();
  readonly client: Client;
  readonly fileSystems: FileSystems;
  /** Of the claim, one for each write: the status of its resize. */
  readonly written: (string | undefined)[] = [];
  readonly #ref = { namespace: "default", name: "c" };

  constructor() {
    const { world, server } = this.#api;
    this.client = new Client({ world, transport: server.fetch, server: "http://server", userAgent: "nodes/1" });
    this.fileSystems = new FileSystems(world);
  }

  async prepare(storage: string, annotations: Record<string, string> = {}): Promise<void> {
    const accessModes = ["ReadWriteOnce"];
    await this.client.create(PERSISTENTVOLUMES, {
      metadata: { name: "v" },
      spec: { accessModes, capacity: { storage: "2Gi" }, csi: { driver: "d.io", volumeHandle: "h" } },
    });
    await this.client.create(PERSISTENTVOLUMECLAIMS, {
      metadata: { name: "c", annotations },
      spec: { accessModes, volumeName: "v", resources: { requests: { storage: "2Gi" } } },
    }, { namespace: "default" });
    const lastTransitionTime = "2026-01-01T00:00:00Z";
    const status = {
      phase: "Bound",
      capacity: { storage: "1Gi" },
      conditions: [
        { type: "Example", status: "True", lastTransitionTime },
        { type: "FileSystemResizePending", status: "True", lastTransitionTime },
      ],
      allocatedResources: { storage: "2Gi" },
      allocatedResourceStatuses: { storage },
    };
    await this.client.patch(PERSISTENTVOLUMECLAIMS, this.#ref, {
      type: "merge",
      body: { status },
      subresource: "status",
    });
    this.#api.server.onWrite(({ object }) =>
      void this.written.push((object as PersistentVolumeClaim | undefined)?.status?.allocatedResourceStatuses?.storage)
    );
  }

  claim(): Promise<PersistentVolumeClaim> {
    return this.client.get(PERSISTENTVOLUMECLAIMS, this.#ref);
  }

  async grow() {
    const volume = await this.client.get(PERSISTENTVOLUMES, { name: "v" });
    const claimed = { claim: await this.claim(), volume };
    return await this.fileSystems.grow(claimed, { client: this.client, node: "n", signal: AbortSignal.any([]) });
  }

  advance(ms: number): Promise<void> {
    return this.#api.world.clock.advance(ms);
  }

  [Symbol.dispose](): void {
    this.#api.server.close();
  }
}

Deno.test("FileSystems: a claim is left alone until its status says that it is the node's turn", async () => {
  using rig = new Rig();
  await rig.prepare("ControllerResizeInProgress");
  assertEquals([await rig.grow(), rig.written], [{}, []]);
});

Deno.test("FileSystems: the claim's status says that the node works on it before it does, and what the claim has once it is done", async () => {
  using rig = new Rig();
  await rig.prepare("NodeResizePending");
  const { growth, againMs } = await rig.grow();
  assertEquals([growth?.type, growth?.reason, growth?.message, againMs], [
    "Normal",
    "FileSystemResizeSuccessful",
    'MountVolume.NodeExpandVolume succeeded for volume "v" n',
    undefined,
  ]);
  assertEquals(rig.written, ["NodeResizeInProgress", undefined]);
  const { capacity, conditions } = (await rig.claim()).status!;
  assertEquals([capacity, conditions?.map(({ type }) => type)], [{ storage: "2Gi" }, ["Example"]]);
});

Deno.test("FileSystems: failures are retried later; what can never succeed is reported and left alone", async () => {
  using rig = new Rig();
  await rig.prepare("NodeResizePending", { "kubeloop.dev/expand-on-node": "fail:busy,infeasible" });
  const first = await rig.grow();
  assertEquals([first.growth?.reason, first.againMs], ["VolumeResizeFailed", 1000]);
  assertEquals(await rig.grow(), { againMs: 1000 });
  await rig.advance(1000);
  assertEquals((await rig.grow()).growth?.reason, "VolumeResizeFailed");
  const { allocatedResourceStatuses, conditions } = (await rig.claim()).status!;
  assertEquals(allocatedResourceStatuses, { storage: "NodeResizeInfeasible" });
  assertEquals(conditions?.map(({ type, message }) => message ?? type), [
    "Example",
    "failed to expand pvc with rpc error: code = Internal desc = busy",
  ]);
  assertEquals(await rig.grow(), {});
});
