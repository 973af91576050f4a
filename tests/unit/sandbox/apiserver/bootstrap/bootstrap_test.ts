import { assert, assertEquals } from "@std/assert";
import { MemoryBackend } from "../../../../../src/sandbox/mod.ts";
import { Harness, type Loose } from "../harness.ts";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";

async function names(api: Harness, path: string): Promise<string[]> {
  return (await api.get(path)).body.items.map(({ metadata }: Loose) => metadata.name);
}

Deno.test("bootstrap makes the objects that every cluster has", async () => {
  using api = new Harness({ serviceCidr: "10.9.0.0/16" });
  assertEquals(await names(api, "/api/v1/namespaces"), ["default", "kube-node-lease", "kube-public", "kube-system"]);
  assertEquals(await names(api, "/apis/scheduling.k8s.io/v1/priorityclasses"), [
    "system-cluster-critical",
    "system-node-critical",
  ]);
  const { spec } = (await api.get("/api/v1/namespaces/default/services/kubernetes")).body;
  assertEquals([spec.clusterIP, spec.ports[0].port], ["10.9.0.1", 443]);
  const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes";
  assertEquals((await api.get(slices)).body.metadata.labels, { "kubernetes.io/service-name": "kubernetes" });
  const cidr = (await api.get("/apis/networking.k8s.io/v1/servicecidrs/kubernetes")).body;
  assertEquals([cidr.spec.cidrs, cidr.status.conditions[0].type], [["10.9.0.0/16"], "Ready"]);
  assertEquals(await names(api, "/api/v1/namespaces/kube-system/configmaps"), [
    "extension-apiserver-authentication",
    "kube-apiserver-legacy-service-account-token-tracking",
  ]);
  assertEquals((await names(api, `${RBAC}/clusterroles`)).length, 69);
  assertEquals((await names(api, `${RBAC}/clusterrolebindings`)).length, 50);
  assertEquals([(await names(api, `${RBAC}/roles`)).length, (await names(api, `${RBAC}/rolebindings`)).length], [7, 7]);
  const FLOW = "/apis/flowcontrol.apiserver.k8s.io/v1";
  assertEquals((await names(api, `${FLOW}/flowschemas`)).length, 11);
  assertEquals((await names(api, `${FLOW}/prioritylevelconfigurations`)).length, 8);
});

Deno.test("bootstrap leaves what is there as it is, and makes again what is missing", async () => {
  const backend = new MemoryBackend();
  using first = new Harness({ backend });
  await first.patch(`${RBAC}/clusterroles/view`, { rules: [{ verbs: ["get"], nonResourceURLs: ["/"] }] });
  await first.delete(`${RBAC}/clusterroles/edit`);
  await first.delete("/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical");
  const revision = first.server.revision;
  using again = new Harness({ backend });
  assertEquals((await again.get(`${RBAC}/clusterroles/view`)).body.rules.length, 1);
  assert((await again.get(`${RBAC}/clusterroles/edit`)).body.rules.length > 0);
  assertEquals((await again.get("/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical")).status, 200);
  assertEquals(again.server.revision, revision + 2);
});

Deno.test("bootstrap makes nothing where it is not wanted", async () => {
  using api = new Harness({ bootstraps: false });
  assertEquals([await names(api, "/api/v1/namespaces"), await names(api, `${RBAC}/clusterroles`)], [[], []]);
});

Deno.test("bootstrap gives the aggregated roles the rules of their parts, each once", async () => {
  using api = new Harness();
  const rules = async (name: string): Promise<string[]> =>
    (await api.get(`${RBAC}/clusterroles/${name}`)).body.rules.map((rule: Loose) => JSON.stringify(rule));
  const [view, edit, admin] = [await rules("view"), await rules("edit"), await rules("admin")];
  assertEquals(view, await rules("system:aggregate-to-view"));
  assertEquals(new Set(edit), new Set([...await rules("system:aggregate-to-edit"), ...view]));
  assertEquals(new Set(admin), new Set([...edit, ...await rules("system:aggregate-to-admin")]));
  assertEquals(admin.length, new Set(admin).size);
});

Deno.test("bootstrap binds a controller's role to its service account, and lets it do its work", async () => {
  using api = new Harness({ authorization: "RBAC" });
  const allowed = async (account: string, verb: string, group: string, resource: string) => {
    const spec = {
      user: `system:serviceaccount:kube-system:${account}`,
      resourceAttributes: { verb, group, resource },
    };
    return (await api.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", { spec })).body.status.allowed;
  };
  assertEquals(await allowed("deployment-controller", "update", "apps", "replicasets"), true);
  assertEquals(await allowed("replicaset-controller", "create", "", "pods"), true);
  assertEquals(await allowed("replicaset-controller", "create", "", "secrets"), false);
  assertEquals(await allowed("nobody-controller", "create", "", "pods"), false);
});

Deno.test("bootstrap tells other servers whose client certificates to believe, each time anew", async () => {
  const backend = new MemoryBackend();
  const path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
  for (const clientCertificateAuthority of [undefined, "one\n", "two\n"]) {
    using api = new Harness({ backend, clientCertificateAuthority });
    assertEquals((await api.get(path)).body.data["client-ca-file"], clientCertificateAuthority);
  }
});
