/** How a pod's volumes are noted, and who is told of conflicts. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeWorld, type World } from "../../../../src/base/mod.ts";
import type {
  CSIDriver,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  SELinuxOptions,
} from "../../../../src/api/mod.ts";
import { Indexer, Lister } from "../../../../src/cache/mod.ts";
import type { WarningContext } from "../../../../src/controllers/selinux_warning/context.ts";
import { syncDriver, syncPod } from "../../../../src/controllers/selinux_warning/sync.ts";
import { VolumeLabels } from "../../../../src/controllers/selinux_warning/volume_labels.ts";
import { hastyClock } from "../counting_budget.ts";
import { FakeRecorder } from "../fake_recorder.ts";

const ONE = { level: "s0:c1,c2" };
const OTHER = { level: "s0:c98,c99" };

type Sharer = {
  readonly options?: SELinuxOptions;
  readonly policy?: string;
  readonly phase?: string;
  readonly namespace?: string;
  readonly volumes?: PodSpec["volumes"];
  /** Of a second container. */
  readonly second?: SELinuxOptions;
};

class LabelRig {
  readonly pods = new Indexer<Pod>();
  readonly claims = new Indexer<PersistentVolumeClaim>();
  readonly drivers = new Indexer<CSIDriver>();
  readonly labels = new VolumeLabels();
  readonly recorder = new FakeRecorder();
  readonly queued: string[] = [];
  readonly context: WarningContext;

  constructor({ mounts = true, world = new FakeWorld() as World } = {}) {
    const volumes = new Indexer<PersistentVolume>();
    for (const namespace of ["a", "b"]) {
      const ref = { namespace, name: "c", uid: namespace };
      this.claims.add({ metadata: ref, spec: { volumeName: namespace }, status: { phase: "Bound" } });
      const csi = { driver: "d", volumeHandle: "h" };
      volumes.add({ metadata: { name: namespace }, spec: { claimRef: ref, csi } });
    }
    this.drive(mounts);
    this.context = {
      world,
      recorder: this.recorder as unknown as WarningContext["recorder"],
      queue: { add: (key) => void this.queued.push(key) },
      pods: new Lister(this.pods),
      claims: new Lister(this.claims),
      volumes: new Lister(volumes),
      drivers: new Lister(this.drivers),
      labels: this.labels,
    };
  }

  drive(seLinuxMount: boolean): void {
    this.drivers.add({ metadata: { name: "d" }, spec: { seLinuxMount } });
  }

  async pod(name: string, { options, policy, phase = "Running", namespace = "a", volumes, second }: Sharer = {}) {
    const mounting = (container: string, seLinuxOptions?: SELinuxOptions) => ({
      name: container,
      volumeMounts: (volumes ?? [{ name: "v" }]).map((volume) => ({ name: volume.name, mountPath: `/${volume.name}` })),
      securityContext: seLinuxOptions && { seLinuxOptions },
    });
    this.pods.add({
      metadata: { namespace, name, uid: `${namespace}-${name}` },
      spec: {
        containers: [mounting("x"), ...second ? [mounting("y", second)] : []],
        securityContext: { seLinuxOptions: options, seLinuxChangePolicy: policy },
        volumes: volumes ?? [{ name: "v", persistentVolumeClaim: { claimName: "c" } }],
      },
      status: { phase },
    });
    await syncPod(`${namespace}/${name}`, this.context);
  }

  /** What was told of, by reason and pod. */
  told(): string[] {
    return this.recorder.lines.splice(0).map((line) => line.split(" ").slice(1, 3).join(" ")).sort();
  }
}

/** How one pod is noted that shares the volume with one that says otherwise, told by whom it conflicts with. */
const NOTED: readonly (readonly [string, Sharer & { readonly mounts?: boolean }, readonly string[]])[] = [
  ["with another label", { options: OTHER }, ["SELinuxLabelConflict"]],
  ["with the same label", { options: ONE }, []],
  ["with the policy Recursive", { options: ONE, policy: "Recursive" }, [
    "SELinuxChangePolicyConflict",
    "SELinuxLabelConflict",
  ]],
  ["without a label", {}, ["SELinuxChangePolicyConflict", "SELinuxLabelConflict"]],
  ["that is pending", { options: OTHER, phase: "Pending" }, ["SELinuxLabelConflict"]],
  ["of which nothing is known", { options: OTHER, phase: "Unknown" }, ["SELinuxLabelConflict"]],
  ["that has succeeded", { options: OTHER, phase: "Succeeded" }, []],
  ["that has failed", { options: OTHER, phase: "Failed" }, []],
  ["without volumes", { options: OTHER, volumes: [] }, []],
  ["whose volume is its own", { options: OTHER, volumes: [{ name: "v", csi: { driver: "d" } }] }, []],
  ["whose volume nobody shares", { options: OTHER, volumes: [{ name: "v", emptyDir: {} }] }, []],
  [
    "of a FlexVolume driver",
    { options: OTHER, volumes: [{ name: "v", flexVolume: { driver: "x/y" } }] },
    [],
  ],
];

for (const [what, sharer, reasons] of NOTED) {
  Deno.test(`syncPod: a pod ${what} is told of ${reasons.join(" and ") || "nothing"}`, async () => {
    const rig = new LabelRig();
    await rig.pod("p", { options: ONE });
    await rig.pod("q", sharer);
    assertEquals(rig.told(), reasons.flatMap((reason) => [`${reason} a/p`, `${reason} a/q`]).sort());
  });
}

Deno.test("syncPod: where the driver mounts without labels, and where all relabel, none conflict", async () => {
  const plain = new LabelRig({ mounts: false });
  await plain.pod("p", { options: ONE });
  await plain.pod("q", { options: OTHER });
  const recursive = new LabelRig();
  await recursive.pod("p", { options: ONE, policy: "Recursive" });
  await recursive.pod("q", { options: OTHER, policy: "Recursive" });
  assertEquals([plain.told(), recursive.told()], [[], []]);
});

Deno.test("syncPod: nothing is told of a pod in another namespace but that there is one", async () => {
  const rig = new LabelRig();
  await rig.pod("secret-name", { options: ONE, namespace: "b" });
  await rig.pod("q", { options: OTHER });
  const [ofQ] = rig.recorder.lines.filter((line) => line.includes("a/q"));
  assert(ofQ.includes("conflicts with another pod") && !ofQ.includes("secret-name") && !ofQ.includes("s0:c1"), ofQ);
});

Deno.test("syncPod: a pod that is gone is told nothing, and is in conflict with nobody any more", async () => {
  const rig = new LabelRig();
  await rig.pod("p", { options: ONE });
  const gone = rig.pods.get("a/p")!;
  rig.pods.delete(gone);
  await rig.pod("q", { options: OTHER });
  assertEquals(rig.told(), ["SELinuxLabelConflict a/q"]);
  await rig.pod("r", { options: ONE });
  assertEquals(rig.labels.conflicts().length, 4);
  await syncPod("a/p", rig.context);
  assertEquals(rig.labels.conflicts().length, 2);
  rig.pods.delete(rig.pods.get("a/q")!);
  await syncPod("a/q", rig.context);
  assertEquals([rig.labels.conflicts(), rig.labels.size], [[], { volumes: 1, pods: 1 }]);
});

Deno.test("syncPod: two containers with a label each are told of, and the pod is tried again", async () => {
  const rig = new LabelRig();
  await assertRejects(() => rig.pod("p", { options: ONE, second: OTHER }), Error, "multiple SELinux labels found");
  assertEquals(rig.told(), ["MultipleSELinuxLabels a/p"]);
  assertEquals(rig.labels.size, { volumes: 0, pods: 0 });
});

Deno.test("syncPod: a claim that is not bound keeps no other volume from being noted, and is tried again", async () => {
  const rig = new LabelRig();
  const volumes = [
    { name: "gone", persistentVolumeClaim: { claimName: "gone" } },
    { name: "v", persistentVolumeClaim: { claimName: "c" } },
  ];
  await assertRejects(() => rig.pod("p", { options: ONE, volumes }), Error, "failed to find PVC a/gone");
  assertEquals(rig.labels.size, { volumes: 1, pods: 1 });
});

Deno.test("syncDriver: the pods of a driver are looked at again once it mounts with labels", async () => {
  const rig = new LabelRig({ mounts: false });
  await rig.pod("p", { options: ONE });
  await rig.pod("q", { options: OTHER });
  rig.drive(true);
  await syncDriver("d", rig.context, { texts: ["x"] } as unknown as Parameters<typeof syncDriver>[2]);
  assertEquals(rig.queued.sort(), ["pod:a/p", "pod:a/q"]);
  for (const name of ["p", "q"]) await syncPod(`a/${name}`, rig.context);
  assertEquals(new Set(rig.told()).has("SELinuxLabelConflict a/q"), true);
  assertEquals(rig.labels.conflicts().map(({ property, pod }) => `${property} ${pod}`).sort(), [
    "SELinuxLabel a/p",
    "SELinuxLabel a/q",
  ]);
});

Deno.test("syncPod: others have their turn between the thousands of volumes of a pod, and its error stays short", async () => {
  const turns = { count: 0 };
  const clock = Object.assign(hastyClock(), {
    nextTurn: () => {
      turns.count++;
      return Promise.resolve();
    },
  });
  const rig = new LabelRig({ world: { ...new FakeWorld(), clock } as World });
  const volumes = Array.from({ length: 2_000 }, (_, i) => ({
    name: `v${i}`,
    persistentVolumeClaim: { claimName: `gone-${i}` },
  }));
  const error = await assertRejects(() => rig.pod("p", { options: ONE, volumes }), Error);
  assert(turns.count > 100, `${turns.count} turns`);
  assert(error.message.length < 5_000, `${error.message.length} characters`);
});
