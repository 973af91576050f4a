/** /metrics of both managers after the same work on one cluster: what upstream shows, ours shows alike. */
import { assert, assertEquals } from "@std/assert";
import { ControlPlane } from "../controlplane/control_plane.ts";
import { dropLease, type ManagerKind, startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import { adminToken } from "./admin_token.ts";
import { clusterTest } from "./cluster.ts";
import { type Family, strictFamilies } from "./prometheus_text.ts";

/** What upstream's binary shows and ours does not, and why. */
const NOT_OURS: readonly (readonly [names: RegExp, why: string])[] = [
  [/^go_/, "the runtime of Go"],
  [
    /^(apiserver|aggregator|apiextensions|authentication_token_cache)_/,
    "of packages of the API server that are linked into upstream's binary",
  ],
  [
    /^process_(max_fds|open_fds|virtual_memory_bytes|virtual_memory_max_bytes|network_\w+_bytes_total)$/,
    "/proc, which Deno opens to nobody without every permission",
  ],
  [/^rest_client_transport_/, "the cache of connections of Go's client"],
  [/^rest_client_exec_plugin_/, "there once a kubeconfig has an exec plugin"],
  [/^cardinality_enforcement_unexpected_categorizations_total$/, "labels are changed when they are shown, not counted"],
];

/** There once what they count has happened, which depends on how quickly caches follow. */
const SOMETIMES = /_stale_sync_skips_total$/;

/** Has every controller do something, and waits until it is done. */
async function work(plane: ControlPlane, namespace: string): Promise<void> {
  const is = (text: string, ...args: string[]) => async () => (await plane.kubectl(args)).trim() === text;
  await plane.kubectl(["create", "namespace", namespace]);
  await eventually(
    "the namespace is furnished",
    () => plane.kubectl(["get", "serviceaccount", "default", "-n", namespace]),
  );
  await plane.kubectl(["create", "deployment", "web", "--image=nginx", "--replicas=3", "-n", namespace]);
  const pods = ["get", "replicasets", "-n", namespace, "-o", "jsonpath={.items[*].status.replicas}"];
  await eventually("pods are created", is("3", ...pods));
  await plane.kubectl(["scale", "deployment", "web", "--replicas=1", "-n", namespace]);
  await eventually("pods are deleted", is("1", ...pods));
  await plane.kubectl(["delete", "deployment", "web", "-n", namespace]);
  await eventually("what it owned is collected", is("", "get", "replicasets", "-n", namespace, "-o", "name"));
  await plane.kubectl(["delete", "namespace", namespace, "--wait=false"]);
  await eventually("the namespace is gone", is("", "get", "namespace", namespace, "--ignore-not-found", "-o", "name"), {
    withinMs: 120_000,
  });
}

async function familiesOf(plane: ControlPlane, kind: ManagerKind, token: string): Promise<Map<string, Family>> {
  const { cert, key } = await plane.authority.serving(["localhost"], ["127.0.0.1"]);
  const [certFile, keyFile] = [`${plane.folder}/metrics.crt`, `${plane.folder}/metrics.key`];
  await Deno.writeTextFile(certFile, cert);
  await Deno.writeTextFile(keyFile, key);
  const { process, healthzUrl } = await startManager(plane, kind, {
    flags: [`--tls-cert-file=${certFile}`, `--tls-private-key-file=${keyFile}`],
  });
  await work(plane, `metrics-${kind}`);
  using client = Deno.createHttpClient({ caCerts: [plane.authority.cert] });
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(healthzUrl.replace("/healthz", "/metrics"), { client, headers });
  const families = strictFamilies(await response.text());
  await process.stop();
  await dropLease(plane);
  return families;
}

clusterTest("both managers show the same metrics with the same help, types, labels and buckets", async () => {
  await using plane = await ControlPlane.start();
  const token = await adminToken(plane);
  const theirs = await familiesOf(plane, "upstream", token);
  const ours = await familiesOf(plane, "kubeloop", token);
  const wanted = [...theirs].filter(([name]) =>
    !NOT_OURS.some(([names]) => names.test(name)) && (ours.has(name) || !SOMETIMES.test(name))
  );
  assert(wanted.length > 25, `${wanted.length} metrics are compared`);
  for (const [names] of NOT_OURS) {
    assert([...theirs.keys()].some((name) => names.test(name)), `upstream has ${names}`);
    assert(![...ours.keys()].some((name) => names.test(name)), `ours has ${names} after all`);
  }
  const shown = (families: Map<string, Family>) =>
    wanted.map(([name]) => {
      const { help, type, labels, bounds } = families.get(name) ?? { help: "none", type: "", labels: [], bounds: [] };
      return [name, type, help, [...labels].sort().join(), [...bounds].map(Number).join()];
    });
  assertEquals(shown(ours), shown(theirs));
});
