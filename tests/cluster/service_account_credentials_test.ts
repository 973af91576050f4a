/** `--use-service-account-credentials` on a real kube-apiserver: its audit log says who sent what, and who was refused. */
import { assert, assertEquals } from "@std/assert";
import { type ConfigMap, CONFIGMAPS, DEPLOYMENTS, EVENTS, NAMESPACES, REPLICASETS } from "../../src/api/mod.ts";
import { type AuditedRequest, AuditLog } from "../controlplane/audit_log.ts";
import {
  dropLease,
  FIRST_SIX,
  type Manager,
  type ManagerKind,
  startManager,
  THREE_GROUPS,
} from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import { deployment } from "../scenarios/kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";

/** The user of kube-controller-manager's own certificate: kube-apiserver lets it do what the manager itself needs, no more. */
const ROOT = "system:kube-controller-manager";
const ACCOUNT = "system:serviceaccount:kube-system:";

/** The first six controllers' clients, whose names are those of upstream's clients and of the roles in kube-apiserver. */
const ACCOUNTS = [
  "deployment-controller",
  "generic-garbage-collector",
  "namespace-controller",
  "replicaset-controller",
  "root-ca-cert-publisher",
  "service-account-controller",
];

const ROOT_CLIENTS = [
  "controller-discovery",
  "delegated-authentication",
  "delegated-authorization",
  "kube-controller-manager",
  "leader-election",
  "leader-election-watch",
  "metadata-informers",
  "shared-informers",
];

async function start(
  cluster: Cluster,
  kind: ManagerKind,
  { flags = [], ...rest }: { flags?: readonly string[]; waitForLease?: boolean } = {},
): Promise<Manager> {
  const user = await cluster.plane.authority.client(ROOT);
  const kubeconfig = await cluster.plane.writeKubeconfig("manager", { user });
  // Those whose requests are counted.
  return await startManager(cluster.plane, kind, { kubeconfig, controllers: FIRST_SIX, flags, ...rest });
}

/** Everything that the manager sent while each of its controllers had something to do. */
async function audited(kind: ManagerKind, flags?: readonly string[]): Promise<AuditedRequest[]> {
  await using audit = await AuditLog.create();
  await using cluster = await Cluster.start({ apiserverFlags: audit.flags, simulated: { untaint: true } });
  const { process } = await start(cluster, kind, { flags });
  await rollOut(cluster);
  await process.stop();
  return (await audit.requests()).filter(({ userAgent }) => userAgent.startsWith("kube-controller-manager/"));
}

async function rollOut(cluster: Cluster): Promise<void> {
  const kit = await cluster.namespace("live");
  await kit.until(CONFIGMAPS, "kube-root-ca.crt", "is there", () => true);
  await kit.create(DEPLOYMENTS, deployment("web", { replicas: 2 }));
  await kit.rolledOut("web");
  await kit.merge(DEPLOYMENTS, "web", {
    spec: { template: { spec: { containers: [{ name: "c", image: "nginx:2" }] } } },
  });
  const { metadata } = await kit.rolledOut("web");
  const sets = await kit.list(REPLICASETS);
  const managers = [metadata, ...sets.map((set) => set.metadata)].flatMap((each) => each!.managedFields ?? []);
  assertEquals(new Set(managers.map(({ manager }) => manager)), new Set(["cluster-tests", "kube-controller-manager"]));
  await deleteAll(cluster);
}

/** Work for the garbage collector, with an event, then for the namespace controller. */
async function deleteAll(cluster: Cluster): Promise<void> {
  const kit = cluster.kit("live");
  const owner = await cluster.client.create<ConfigMap>(CONFIGMAPS, {
    metadata: { namespace: "default", name: "owner" },
  });
  const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata!.uid! };
  await kit.create<ConfigMap>(CONFIGMAPS, { metadata: { name: "misled", ownerReferences: [reference] } });
  await kit.untilAll(
    EVENTS,
    "one is about the owner's namespace",
    (events) => events.some(({ reason }) => reason === "OwnerRefInvalidNamespace"),
  );
  await kit.delete(DEPLOYMENTS, "web", "Foreground");
  await kit.untilGone(DEPLOYMENTS, "web");
  await kit.delete(NAMESPACES, "live");
  await kit.untilGone(NAMESPACES, "live");
}

/** The last part of the User-Agent. */
const clientOf = ({ userAgent }: AuditedRequest) => userAgent.slice(userAgent.lastIndexOf("/") + 1);

const isRead = ({ verb }: AuditedRequest) => ["get", "list", "watch"].includes(verb);

/** What each user has written: `user verb resource`. */
function writes(requests: readonly AuditedRequest[], users: (user: string) => boolean): string[] {
  const all = requests.filter((request) => !isRead(request) && users(request.user));
  return [...new Set(all.map(({ user, verb, resource }) => `${user} ${verb} ${resource}`))].sort();
}

function refusals(requests: readonly AuditedRequest[]): string[] {
  const all = requests.filter(({ code }) => code === 401 || code === 403);
  return [...new Set(all.map(({ user, verb, resource, path, code }) => `${user} ${verb} ${resource || path} ${code}`))];
}

const isRoot = (user: string) => user === ROOT;
const isAccount = (user: string) => user.startsWith(ACCOUNT);

let upstream: Promise<AuditedRequest[]> | undefined;

for (const [how, groups] of [["in one thread", "none"], ["in groups", THREE_GROUPS]]) {
  clusterTest(`each controller acts as its own ServiceAccount, ${how}`, async () => {
    const requests = await audited("kubeloop", [`--controller-groups=${groups}`]);

    const ofAccounts = requests.filter(({ user }) => !isRoot(user));
    for (const request of ofAccounts) assertEquals(clientOf(request), request.user);
    assertEquals([...new Set(ofAccounts.map(({ user }) => user))].sort(), ACCOUNTS.map((name) => ACCOUNT + name));
    const strangers = requests.filter((each) => isRoot(each.user) && !ROOT_CLIENTS.includes(clientOf(each)));
    assertEquals(strangers, []);

    // Nobody but the process itself, and that only what keeps it going.
    assertEquals(writes(requests, isRoot), [
      `${ROOT} create events`,
      `${ROOT} create leases`,
      `${ROOT} create serviceaccounts`,
      `${ROOT} create serviceaccounts/token`,
      `${ROOT} update leases`,
    ]);
    const tokens = requests.filter(({ resource }) => resource === "serviceaccounts/token").map(({ name }) => name);
    assertEquals(tokens.sort(), ACCOUNTS);

    const theirs = await (upstream ??= audited("upstream"));
    assertEquals(writes(requests, isAccount), writes(theirs, isAccount));
    const known = refusals(theirs);
    assertEquals(refusals(requests).filter((refusal) => !known.includes(refusal)), []);
  });
}

clusterTest("a standby with warm caches asks for no token before it leads", async () => {
  await using audit = await AuditLog.create();
  await using cluster = await Cluster.start({ apiserverFlags: audit.flags, simulated: { untaint: true } });
  const now = new Date().toISOString().replace("Z", "000Z");
  const metadata = { name: "kube-controller-manager", namespace: "kube-system" };
  const spec = { holderIdentity: "other", leaseDurationSeconds: 3600, acquireTime: now, renewTime: now };
  await cluster.plane.apply({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec });
  await start(cluster, "kubeloop", { waitForLease: false });
  await eventually("its caches are warm", async () => {
    const watched = (await audit.requests()).filter((each) => isRoot(each.user) && each.verb === "watch");
    return ["pods", "replicasets", "namespaces"].every((name) => watched.some(({ resource }) => resource === name));
  });
  await dropLease(cluster.plane);
  await eventually("it works", () => cluster.plane.kubectl(["get", "configmap", "kube-root-ca.crt", "-n", "default"]));

  const requests = await audit.requests();
  const led = requests.findIndex(({ user, verb, resource }) =>
    isRoot(user) && verb === "create" && resource === "leases"
  );
  const accounts = requests.filter(({ userAgent, resource }) =>
    userAgent.startsWith("kube-controller-manager/") && resource.startsWith("serviceaccounts") &&
    !userAgent.endsWith("/shared-informers")
  );
  assert(led >= 0 && accounts.length > 0);
  for (const request of accounts) assert(requests.indexOf(request) > led, `${request.verb} ${request.resource}`);
});

clusterTest("a controller whose account is deleted gets another, and goes on", async () => {
  await using cluster = await Cluster.start({ simulated: { untaint: true } });
  await start(cluster, "kubeloop");
  const kit = await cluster.namespace("live");
  await kit.create(DEPLOYMENTS, deployment("web", { replicas: 1 }));
  await kit.rolledOut("web");
  const account = ["serviceaccount", "deployment-controller", "-n", "kube-system"];
  await cluster.plane.kubectl(["delete", ...account]);
  let edits = 0;
  await eventually("the account is there again", async () => {
    await kit.merge(DEPLOYMENTS, "web", { spec: { minReadySeconds: ++edits % 2 } });
    return (await cluster.plane.kubectl(["get", ...account, "--ignore-not-found"])) !== "";
  }, { everyMs: 1000 });
  await kit.rolledOut("web");
  assert(edits > 1, "kube-apiserver remembers a good token for some seconds");
});
