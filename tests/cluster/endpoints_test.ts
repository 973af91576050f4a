/** The manager's HTTPS endpoint beside upstream's, on one real API server: who gets what. */
import { assert, assertEquals } from "@std/assert";
import { parseMetrics } from "../../src/base/mod.ts";
import { ControlPlane } from "../controlplane/control_plane.ts";
import { kubeadmFlags } from "../controlplane/kubeadm_flags.ts";
import { leaseHolder, type ManagerKind, startKubeloop, startManager } from "../controlplane/manager.ts";
import { Authority, type KeyPair } from "../controlplane/pki.ts";
import { eventually, freePort } from "../controlplane/process.ts";
import { servingFlags } from "../controlplane/serving.ts";
import { clusterTest } from "./cluster.ts";

interface Who {
  readonly token?: string;
  readonly certificate?: KeyPair;
}

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
}

async function ask(url: string, { token, certificate }: Who, init: RequestInit & { ca: string }): Promise<Answer> {
  using client = Deno.createHttpClient({ caCerts: [init.ca], ...certificate });
  const headers = new Headers(init.headers);
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  const response = await fetch(url, { ...init, headers, client });
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
}

/** Makes the ServiceAccount `scraper`, which may read /metrics, and a token for it. */
async function scraperToken(plane: ControlPlane): Promise<string> {
  const metadata = { name: "scraper" };
  await plane.apply([
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { ...metadata, namespace: "default" } },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata,
      rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }],
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "scraper" },
      subjects: [{ kind: "ServiceAccount", name: "scraper", namespace: "default" }],
    },
  ]);
  return (await plane.kubectl(["create", "token", "scraper", "-n", "default"])).trim();
}

/** Makes the ServiceAccount `operator`, which may do anything, and a token for it. */
async function operatorToken(plane: ControlPlane): Promise<string> {
  await plane.kubectl(["create", "serviceaccount", "operator", "-n", "default"]);
  const subject = ["--clusterrole=cluster-admin", "--serviceaccount=default:operator"];
  await plane.kubectl(["create", "clusterrolebinding", "operator", ...subject]);
  return (await plane.kubectl(["create", "token", "operator", "-n", "default"])).trim();
}

clusterTest("both managers answer everybody alike: 200, 401 and 403, and the same configuration", async () => {
  await using plane = await ControlPlane.start();
  const ca = plane.authority.cert;
  const flags = await servingFlags(plane);
  const urls = new Map<ManagerKind, string>();
  let asksForCertificates = true;
  for (const kind of ["upstream", "kubeloop"] as const) {
    const manager = await startManager(plane, kind, { flags, waitForLease: kind === "upstream" });
    const url = manager.healthzUrl.replace("/healthz", "");
    await eventually(`${kind} serves`, async () => (await ask(`${url}/healthz`, {}, { ca })).status === 200);
    urls.set(kind, url);
    asksForCertificates &&= !manager.process.output.includes("This runtime cannot ask clients for certificates");
  }
  const people: Record<string, Who> = {
    nobody: {},
    liar: { token: "not-a-token" },
    scraper: { token: await scraperToken(plane) },
    operator: { token: await operatorToken(plane) },
    admin: { certificate: await plane.authority.client("anna", ["system:masters"]) },
    known: { certificate: await plane.authority.client("joe") },
    stranger: { certificate: await (await Authority.create()).client("anna", ["system:masters"]) },
    expired: { certificate: await plane.authority.client("anna", ["system:masters"], { validForMs: -60_000 }) },
  };
  const seen: Record<ManagerKind, string[]> = { upstream: [], kubeloop: [] };
  for (const [kind, url] of urls) {
    for (const [name, who] of Object.entries(people)) {
      for (const path of ["/healthz", "/metrics", "/configz", "/nothing", "/healthz/x"]) {
        const { status, type, text } = await ask(url + path, who, { ca });
        seen[kind].push(`${name} ${path} ${status} ${type} ${status === 200 ? "" : text}`);
      }
    }
  }
  const anonymous = seen.upstream.filter((line) => line.startsWith("nobody"));
  // Where certificates are not asked for, those who have nothing else are nobody.
  const expected = asksForCertificates
    ? seen.upstream
    : Object.entries(people).flatMap(([name, { certificate }]) =>
      certificate
        ? anonymous.map((line) => line.replace("nobody", name))
        : seen.upstream.filter((line) => line.startsWith(`${name} `))
    );
  assertEquals(seen.kubeloop, expected);
  for (const status of [200, 401, 403, 404]) assert(seen.kubeloop.some((line) => line.includes(` ${status} `)));

  const asOperator = async (kind: ManagerKind, path: string) =>
    (await ask(urls.get(kind)! + path, people.operator, { ca })).text;
  // Upstream lists what the garbage collector ignores in the order of a map.
  const configz = async (kind: ManagerKind) =>
    JSON.parse(
      await asOperator(kind, "/configz"),
      (_, value) => Array.isArray(value) ? value.map((item) => JSON.stringify(item)).sort() : value,
    );
  assertEquals(await configz("kubeloop"), await configz("upstream"));
  const [ours, theirs] = await Promise.all([asOperator("kubeloop", "/metrics"), asOperator("upstream", "/metrics")]);
  const features = (text: string) =>
    parseMetrics(text).find(({ name }) => name === "kubernetes_feature_enabled")!.samples
      .map(({ labels, value }) => `${labels.name} ${labels.stage} ${value}`).sort();
  assertEquals(features(ours), features(theirs));
  await eventually(
    "ours is ready",
    async () => (await ask(`${urls.get("kubeloop")}/readyz`, {}, { ca })).status === 200,
  );
});

clusterTest("the command line that kubeadm writes runs", async () => {
  await using plane = await ControlPlane.start();
  const port = freePort();
  const manager = startKubeloop(plane, ["kube-controller-manager", ...await kubeadmFlags(plane, port)]);
  await eventually("it leads", async () => {
    if (manager.exit) throw new Error(`it ended: ${manager.output.slice(-3000)}`);
    return await leaseHolder(plane) !== "";
  });
  const url = `https://127.0.0.1:${port}/healthz?verbose`;
  const checks = await eventually("its controllers are healthy", async () => {
    const { status, text } = await ask(url, {}, { ca: plane.authority.cert });
    return status === 200 && text.includes("[+]deployment-controller ok") && text;
  });
  assert(checks.startsWith("[+]leaderElection ok\n"));
  await eventually("it works", () => plane.kubectl(["get", "configmap", "kube-root-ca.crt", "-n", "default"]));
  assertEquals((await manager.stop()).code, 0);
});
