/**
 * Tenants and nodes whose volumes are as many and as odd as the API server admits: another tenant's volume is attached meanwhile, and
 * nothing that is in use is detached.
 *
 * | attack                                                    | what bounds it                                                        |
 * | --------------------------------------------------------- | --------------------------------------------------------------------- |
 * | a pod with thousands of volumes                           | others have their turn between two of its volumes                     |
 * | hundreds of pods that want one volume on nodes of theirs  | a volume is one key for all its nodes; each pod is told once          |
 * | VolumeAttachments by the hundred that nobody asked for    | they are left alone, by whomever they are                             |
 * | a node that says it has and uses whatever can be written  | entries without a plug-in are looked at once a minute, and stay       |
 * | handles that look like paths, names, or other handles     | names are put together and never taken apart again                    |
 * | a volume that names a claim which names another           | both have to name each other, by UID                                  |
 */
import { assertEquals } from "@std/assert";
import { NODES, PERSISTENTVOLUMECLAIMS, PERSISTENTVOLUMES, PODS, VOLUMEATTACHMENTS } from "../../src/api/mod.ts";
import { withTestCluster } from "../../src/testkit/mod.ts";
import {
  attach,
  boundClaim,
  createClaim,
  createNode,
  createVolume,
  DRIVER,
  letDetach,
  podOn,
  setInUse,
  untilReported,
} from "../scenarios/attachment_kit.ts";
import type { Kit } from "../scenarios/kit.ts";
import { clusterName, findCluster, idlePod, patchCluster, removeAtOnce } from "../scenarios/volume_kit.ts";
import { each } from "./each.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

/** In virtual time; alone it takes less than a second. */
const SOON_MS = 10_000;
const FLAGS = [
  "--controllers=persistentvolume-attach-detach-controller",
  "--attach-detach-reconcile-sync-period=1s",
];

/** Lets somebody attack, has a volume of somebody else attached and detached, and looks at what has become of the attacker's. */
function attack(what: string, begin: (kit: Kit) => Promise<void>, end: (kit: Kit) => Promise<void>): void {
  Deno.test(`${what} keep nobody else's volume from its node`, () =>
    withTestCluster({ nodes: 0, flags: FLAGS }, async (cluster) => {
      const tenant = kitOf(cluster, await cluster.namespace("constructor"));
      const victim = kitOf(cluster, await cluster.namespace("shop"), { withinMs: SOON_MS });
      await begin(tenant);
      await createNode(victim, "a");
      await boundClaim(victim, "c");
      await podOn(victim, "p", { node: "a", claims: ["c"] });
      await attach(victim, { volume: "c", node: "a" });
      await removeAtOnce(victim, "p");
      await setInUse(victim, "a", []);
      await letDetach(victim, { volume: "c", node: "a" });
      await untilReported(victim, "a", []);
      await end(tenant);
    }));
}

attack("Pods with thousands of volumes", async (kit) => {
  await createNode(kit, "a");
  const disks = Array.from(
    { length: 3_000 },
    (_, lun) => ({
      name: `v${lun}`,
      iscsi: { targetPortal: "192.0.2.1", iqn: "iqn.2026-01.com.example:x", lun: lun % 256 },
    }),
  );
  const claims = Array.from(
    { length: 3_000 },
    (_, i) => ({ name: `c${i}`, persistentVolumeClaim: { claimName: "no" } }),
  );
  const files = Array.from({ length: 3_000 }, (_, i) => ({ name: `f${i}`, emptyDir: {} }));
  for (const [name, volumes] of Object.entries({ disks, claims, files })) {
    await podOn(kit, name, { node: "a", volumes });
  }
}, async (kit) => {
  await untilReported(
    kit,
    "a",
    Array.from({ length: 256 }, (_, lun) => `kubernetes.io/iscsi/192.0.2.1:iqn.2026-01.com.example:x:${lun}`),
  );
});

attack("Hundreds of pods that want one volume on nodes of their own", async (kit) => {
  await boundClaim(kit, "v");
  await createNode(kit, "n0");
  await podOn(kit, "p0", { node: "n0", claims: ["v"] });
  await attach(kit, { volume: "v", node: "n0" });
  await setInUse(kit, "n0", ["v"]);
  await each(300, async (i) => {
    await createNode(kit, `n${i + 1}`);
    await podOn(kit, `p${i + 1}`, { node: `n${i + 1}`, claims: ["v"] });
  });
}, async (kit) => {
  const { items } = await kit.client.list(VOLUMEATTACHMENTS);
  assertEquals(items.map(({ spec }) => spec.nodeName), [clusterName(kit, "n0")]);
});

attack("VolumeAttachments by the hundred that nobody asked for", async (kit) => {
  await createNode(kit, "a");
  const sources = [
    { persistentVolumeName: "gone" },
    { persistentVolumeName: "constructor" },
    { inlineVolumeSpec: { accessModes: ["ReadWriteOnce"], csi: { driver: DRIVER, volumeHandle: "x" } } },
  ];
  await each(300, (i) =>
    kit.client.create(VOLUMEATTACHMENTS, {
      metadata: { name: `constructor-${i}`, finalizers: ["example.com/keep"] },
      spec: {
        attacher: i % 2 ? DRIVER : "constructor",
        nodeName: i % 3 ? clusterName(kit, "a") : "no-such-node",
        source: sources[i % sources.length],
      },
    }));
}, async (kit) => {
  const { items } = await kit.client.list(VOLUMEATTACHMENTS);
  assertEquals(items.filter(({ metadata }) => metadata?.deletionTimestamp).length, 0);
});

const ODD_NAMES = [
  "x",
  "//",
  "a/b",
  "a/b/",
  "kubernetes.io/csi/^",
  "kubernetes.io/csi/a^b^c",
  "kubernetes.io/none/x",
  "__proto__/constructor/x",
  " \n\u0000 / / ",
  "n".repeat(10_000),
];

attack("Nodes that say they have and use whatever can be written", async (kit) => {
  await createNode(kit, "a");
  const names = [...ODD_NAMES, ...Array.from({ length: 3_000 }, (_, i) => `example.com/none/${i}`)];
  const status = {
    volumesAttached: names.map((name) => ({ name, devicePath: "/dev/../x" })),
    volumesInUse: names,
  };
  await patchCluster(kit, NODES, "a", { status }, "status");
  await boundClaim(kit, "v");
  await podOn(kit, "p", { node: "a", claims: ["v"] });
}, async (kit) => {
  await attach(kit, { volume: "v", node: "a" });
});

const HANDLES = [
  "../../etc",
  "a^b",
  "^",
  " ",
  "kubernetes.io/csi/x",
  "h".repeat(900),
  "%2f\u2028\u{1F600}",
  "__proto__",
];

attack("Handles that look like paths, names, or other handles", async (kit) => {
  await createNode(kit, "a");
  await each(HANDLES.length, async (i) => {
    await boundClaim(kit, `v${i}`, { csi: { driver: DRIVER, volumeHandle: HANDLES[i] } });
    await podOn(kit, `p${i}`, { node: "a", claims: [`v${i}`] });
  });
}, async (kit) => {
  const { items } = await kit.client.list(VOLUMEATTACHMENTS);
  const own = items.filter(({ spec }) => spec.nodeName === clusterName(kit, "a"));
  assertEquals(own.length, HANDLES.length);
  assertEquals(own.every(({ metadata }) => /^csi-[0-9a-f]{64}$/.test(metadata?.name ?? "")), true);
});

attack("Volumes that name a claim which names another", async (kit) => {
  await createNode(kit, "a");
  await boundClaim(kit, "theirs");
  const claim = await createClaim(kit, "mine");
  const other = { ...claim, metadata: { ...claim.metadata, uid: "00000000-0000-0000-0000-000000000000" } };
  await createVolume(kit, "mine", other);
  const status = { phase: "Bound" };
  await kit.merge(PERSISTENTVOLUMECLAIMS, "mine", { status }, "status");
  await kit.create(
    PODS,
    idlePod("p", {
      spec: {
        nodeName: clusterName(kit, "a"),
        volumes: [{ name: "v", persistentVolumeClaim: { claimName: "mine" } }],
      },
    }),
  );
}, async (kit) => {
  const { items } = await kit.client.list(VOLUMEATTACHMENTS);
  assertEquals(items.filter(({ spec }) => spec.nodeName === clusterName(kit, "a")), []);
  assertEquals((await findCluster(kit, PERSISTENTVOLUMES, "theirs"))?.spec?.claimRef?.name, "theirs");
});
