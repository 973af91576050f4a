/**
 * A controller moves from kube-controller-manager to cloud-controller-manager and back, while both run; both are ours. Upstream's
 * kube-controller-manager v1.36.3 ends as soon as it holds the second lease: "informer name is already registered". Beside ours it is
 * seen as the one that waits for it, and as one that gave node-ipam-controller up.
 */
import { assert, assertEquals } from "@std/assert";
import type { Lease, Node } from "../../src/api/mod.ts";
import { ControlPlane } from "../controlplane/control_plane.ts";
import { dropLease, startManager } from "../controlplane/manager.ts";
import { eventually, Process } from "../controlplane/process.ts";
import { clusterTest } from "./cluster.ts";

const PROGRAM = new URL("./own_cloud_manager.ts", import.meta.url).pathname;
const LEASE = "cloud-provider-extraction-migration";
const PATIENT = { withinMs: 120_000 };
const RANGES = ["--allocate-node-cidrs=true", "--cluster-cidr=10.244.0.0/16"];

async function configFor(plane: ControlPlane, component: string): Promise<string[]> {
  const path = `${plane.folder}/migration-${component === "*" ? "any" : component}.yaml`;
  await Deno.writeTextFile(
    path,
    "apiVersion: controllermanager.config.k8s.io/v1\nkind: LeaderMigrationConfiguration\n" +
      `leaderName: ${LEASE}\n` +
      `controllerLeaders: [{ name: node-ipam-controller, component: "${component}" }]\n`,
  );
  return ["--enable-leader-migration", `--leader-migration-config=${path}`];
}

/** kube-controller-manager, once it leads. */
async function startKube(plane: ControlPlane, component: string): Promise<Process> {
  const flags = [...await configFor(plane, component), ...RANGES];
  return (await startManager(plane, "kubeloop", { flags, controllers: "node-ipam-controller" })).process;
}

/** cloud-controller-manager, with a provider that has nothing to say of ranges. */
async function startCloud(plane: ControlPlane, component: string): Promise<Process> {
  return plane.adopt(
    new Process("cloud-controller-manager", Deno.execPath(), {
      args: [
        "run",
        "-A",
        PROGRAM,
        "--cloud-provider=own",
        "--controllers=node-ipam-controller",
        "--secure-port=0",
        `--kubeconfig=${plane.kubeconfig}`,
        ...RANGES,
        ...await configFor(plane, component),
      ],
    }),
  );
}

async function holderOf(plane: ControlPlane, lease: string): Promise<string> {
  const found = await plane.get<Lease>("lease", lease, "-n", "kube-system").catch(() => undefined);
  return found?.spec?.holderIdentity ?? "";
}

/** Makes a Node, and waits for its range; returns who gave it. */
async function giverOf(plane: ControlPlane, name: string): Promise<string> {
  await plane.apply({ apiVersion: "v1", kind: "Node", metadata: { name } });
  const node = await eventually(`${name} has its range`, async () => {
    const found = JSON.parse(await plane.kubectl(["get", "node", name, "-o", "json", "--show-managed-fields"])) as Node;
    return found.spec?.podCIDR === undefined ? undefined : found;
  }, PATIENT);
  const givers = node.metadata?.managedFields?.filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes("f:podCIDR"));
  assertEquals(givers?.length, 1);
  return givers![0].manager ?? "";
}

clusterTest(
  "node-ipam-controller moves from kube-controller-manager to cloud-controller-manager and back, and never runs in both",
  async () => {
    await using plane = await ControlPlane.start();
    const [KUBE, CLOUD] = ["kube-controller-manager", "cloud-controller-manager"];
    let kube = await startKube(plane, "*");
    assertEquals(await giverOf(plane, "n1"), KUBE);
    const kubeBefore = await holderOf(plane, LEASE);

    let cloud = await startCloud(plane, "*");
    await eventually("the other program leads", async () => await holderOf(plane, CLOUD) !== "", PATIENT);
    assertEquals([await giverOf(plane, "n2"), await holderOf(plane, LEASE)], [KUBE, kubeBefore]);

    // There: the one gives the controller up.
    await kube.stop();
    kube = await startKube(plane, CLOUD);
    const cloudHolder = await holderOf(plane, CLOUD);
    await eventually(
      "the other has the second lease",
      async () => await holderOf(plane, LEASE) === cloudHolder,
      PATIENT,
    );
    assertEquals(await giverOf(plane, "n3"), CLOUD);
    assert(!kube.exit && !cloud.exit);

    // And back: the one wants it again, and the other gives it up.
    await kube.stop();
    kube = await startKube(plane, "*");
    assertEquals([await giverOf(plane, "n4"), await holderOf(plane, LEASE)], [CLOUD, cloudHolder]);
    const { code } = await cloud.stop();
    assertEquals(code, 0, cloud.output.slice(-3000));
    cloud = await startCloud(plane, KUBE);
    const kubeHolder = await holderOf(plane, KUBE);
    await eventually("the one has the second lease", async () => await holderOf(plane, LEASE) === kubeHolder, PATIENT);
    await eventually(
      "the other leads again",
      async () => ![cloudHolder, ""].includes(await holderOf(plane, CLOUD)),
      PATIENT,
    );
    assertEquals(await giverOf(plane, "n5"), KUBE);
    assert(!kube.exit && !cloud.exit);

    const { items } = await plane.get<{ items: Node[] }>("nodes");
    const ranges = items.map(({ spec }) => spec?.podCIDR);
    assertEquals(new Set(ranges).size, 5, `each has a range of its own: ${ranges.join(" ")}`);
  },
);

clusterTest(
  "Beside upstream's kube-controller-manager, node-ipam-controller runs in our cloud-controller-manager alone",
  async () => {
    await using plane = await ControlPlane.start();
    const [KUBE, CLOUD] = ["kube-controller-manager", "cloud-controller-manager"];
    const startUpstream = async (migrates: boolean) => {
      const controllers = "node-ipam-controller,serviceaccount-controller";
      const flags = [...migrates ? await configFor(plane, "*") : [], ...RANGES];
      return (await startManager(plane, "upstream", { flags, controllers })).process;
    };
    /** Its other controllers work: a namespace gets its account. */
    const works = async (upstream: Process, name: string) => {
      await plane.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
      await eventually(`${name} has its account`, async () => {
        if (upstream.exit) throw new Error(`upstream ended: ${upstream.output.slice(-2000)}`);
        return (await plane.kubectl(["get", "serviceaccounts", "-n", name, "-o", "name"])).includes("default");
      }, PATIENT);
    };

    // Upstream's runs it, as before any migration, and then gives it up.
    let upstream = await startUpstream(false);
    assertEquals(await giverOf(plane, "n1"), KUBE);
    await upstream.stop({ signal: "SIGKILL" });
    let cloud = await startCloud(plane, "*");
    await eventually("ours has the second lease", async () => {
      const holder = await holderOf(plane, LEASE);
      return holder !== "" && holder === await holderOf(plane, CLOUD);
    }, PATIENT);
    assertEquals(await giverOf(plane, "n2"), CLOUD);

    // Upstream's comes back and wants it, too: it waits for the second lease, while its other controllers work.
    await dropLease(plane);
    upstream = await startUpstream(true);
    await works(upstream, "one");
    const ours = await holderOf(plane, LEASE);
    for (const name of ["n3", "n4", "n5"]) assertEquals(await giverOf(plane, name), CLOUD);
    assertEquals([await holderOf(plane, LEASE), upstream.exit], [ours, undefined]);

    // Ours goes: upstream's gets the second lease, and ends before it gives a range.
    await cloud.stop();
    await plane.apply({ apiVersion: "v1", kind: "Node", metadata: { name: "n6" } });
    await eventually("upstream's has ended", () => upstream.exit, PATIENT);
    const { code } = await upstream.stop(); // by then all that it said has been read
    assert(code !== 0 && upstream.output.includes("already registered"), upstream.output.slice(-3000));
    const n6 = await plane.get<Node>("node", "n6");
    assertEquals(n6.spec?.podCIDR, undefined);

    // Ours comes back, once the lease that upstream's left behind has run out.
    cloud = await startCloud(plane, "*");
    assertEquals(await giverOf(plane, "n7"), CLOUD);
    await eventually("n6 has its range, too", async () => (await plane.get<Node>("node", "n6")).spec?.podCIDR, PATIENT);
    await dropLease(plane);
    upstream = await startUpstream(true);
    await works(upstream, "two");
    assertEquals(await giverOf(plane, "n8"), CLOUD);
    const { items } = await plane.get<{ items: Node[] }>("nodes");
    const ranges = items.map(({ spec }) => spec?.podCIDR);
    assertEquals(new Set(ranges).size, 8, `each has a range of its own: ${ranges.join(" ")}`);
  },
);
