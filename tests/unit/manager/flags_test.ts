import { assertEquals, assertThrows } from "@std/assert";
import { KUBERNETES_VERSION } from "../../../src/api/mod.ts";
import {
  Flags,
  KUBE_CONTROLLER_MANAGER,
  managerFlags,
  managerOptions,
  selectControllers,
  UnknownControllerError,
} from "../../../src/manager/mod.ts";

const { controllers: known } = KUBE_CONTROLLER_MANAGER;
const enabled = (...entries: string[]) => [...selectControllers(entries, known)];
const defaults = known.filter((row) => row.enabledByDefault).map((row) => row.name);

Deno.test("Flags: a flag is given as --name=value or --name value; a boolean takes its value only after =, alone it means true", () => {
  const flags = managerFlags(["--kubeconfig=/a", "--master", "https://b", "--leader-elect=false", "--profiling"]);
  assertEquals(flags.string("kubeconfig"), "/a");
  assertEquals(flags.string("master"), "https://b");
  assertEquals(flags.bool("leader-elect"), false);
  assertEquals(flags.bool("profiling"), true);
  assertEquals(managerFlags(["--leader-elect", "false"]).positional, ["false"]);
});

Deno.test("Flags: _ and - in names are the same", () => {
  assertEquals(managerFlags(["--leader_elect=false"]).bool("leader-elect"), false);
});

Deno.test("Flags: a list flag given several times adds up; the first use replaces the default", () => {
  assertEquals(managerFlags([]).strings("controllers"), ["*"]);
  assertEquals(managerFlags(["--controllers=a,b", "--controllers", "c"]).strings("controllers"), ["a", "b", "c"]);
});

Deno.test("managerFlags accepts the command line that kubeadm writes", () => {
  const flags = managerFlags([
    "--allocate-node-cidrs=true",
    "--authentication-kubeconfig=/etc/kubernetes/controller-manager.conf",
    "--authorization-kubeconfig=/etc/kubernetes/controller-manager.conf",
    "--bind-address=127.0.0.1",
    "--client-ca-file=/etc/kubernetes/pki/ca.crt",
    "--cluster-cidr=10.244.0.0/16",
    "--cluster-name=kubernetes",
    "--cluster-signing-cert-file=/etc/kubernetes/pki/ca.crt",
    "--cluster-signing-key-file=/etc/kubernetes/pki/ca.key",
    "--controllers=*,bootstrapsigner,tokencleaner",
    "--kubeconfig=/etc/kubernetes/controller-manager.conf",
    "--leader-elect=true",
    "--requestheader-client-ca-file=/etc/kubernetes/pki/front-proxy-ca.crt",
    "--root-ca-file=/etc/kubernetes/pki/ca.crt",
    "--service-account-private-key-file=/etc/kubernetes/pki/sa.key",
    "--service-cluster-ip-range=10.96.0.0/12",
    "--use-service-account-credentials=true",
  ]);
  const options = managerOptions(flags);
  assertEquals(options.controllers.has("deployment-controller"), true);
  assertEquals(options.controllers.has("token-cleaner-controller"), true);
  assertEquals(options.authentication.kubeconfig, "/etc/kubernetes/controller-manager.conf");
  assertEquals(options.authentication.requestHeader.caFile, "/etc/kubernetes/pki/front-proxy-ca.crt");
  assertEquals(options.controllerEntries, ["*", "bootstrap-signer-controller", "token-cleaner-controller"]);
  assertEquals(flags.idle.includes("cluster-name"), true);
  assertEquals(flags.idle.includes("kubeconfig"), false);
  assertEquals([options.useServiceAccountCredentials, flags.idle.includes("use-service-account-credentials")], [
    true,
    false,
  ]);
});

Deno.test("managerOptions has upstream's defaults", () => {
  const options = managerOptions(managerFlags([]));
  assertEquals(options.securePort, 10257);
  assertEquals([options.qps, options.burst], [20, 30]);
  assertEquals(options.minResyncPeriodMs, 12 * 3_600_000);
  assertEquals(options.election, {
    enabled: true,
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2_000,
    resourceName: "kube-controller-manager",
    resourceNamespace: "kube-system",
  });
  assertEquals(options.controllerOptions.values["garbage-collector-controller"], { isEnabled: true, workers: 20 });
});

Deno.test("selectControllers takes defaults, names, aliases and exclusions in any order", () => {
  assertEquals(enabled("*"), defaults);
  assertEquals(enabled("-nodelifecycle", "*"), defaults.filter((name) => name !== "node-lifecycle-controller"));
  assertEquals(enabled("-deployment"), []);
  assertEquals(enabled("job", "-job"), ["job-controller"]);
  assertEquals(
    new Set(enabled("*", "tokencleaner")),
    new Set([...defaults, "token-cleaner-controller"]),
  );
});

Deno.test("selectControllers names what it does not know", () => {
  const cloud = assertThrows(
    () => selectControllers(["cloud-node-lifecycle", "-cloud-node"], known),
    UnknownControllerError,
  );
  assertEquals(cloud.message.split(":")[0], '"cloud-node" is not in the list of known controllers');
  assertThrows(
    () => selectControllers(["foo"], known),
    UnknownControllerError,
    '"foo" is not in the list of known controllers',
  );
  assertThrows(
    () => selectControllers(["-foo", "bar"], known),
    UnknownControllerError,
    '["foo" is not in the list of known controllers, "bar" is not in the list of known controllers]',
  );
});

Deno.test("Flags.entries gives every flag with its value, sorted", () => {
  const flags = new Flags([
    { name: "b", type: "strings", default: ["*"], group: "x" },
    { name: "a", type: "int", default: 1, group: "x" },
  ], ["--a=2"]);
  assertEquals(flags.entries(), [["a", "2"], ["b", "[*]"]]);
});

Deno.test("Flags.entries shows lists in brackets, given or not, and what was given of maps", () => {
  const given = ["--allow-metric-labels=m,l='a,b'", "--feature-gates=AtomicFIFO=true", "--min-resync-period=90m"];
  const entries = Object.fromEntries(managerFlags(given).entries());
  assertEquals([entries["min-resync-period"], entries["node-eviction-rate"]], ["1h30m0s", "0.1"]);
  assertEquals(entries["tls-curve-preferences"], "[]");
  assertEquals(entries["feature-gates"], ":AtomicFIFO=true");
  assertEquals(entries["controllers"], "[*]");
  assertEquals(entries["allow-metric-labels"], `["m,l='a,b'"]`);
});

Deno.test("managerOptions takes commas in a single pair of --allow-metric-labels", () => {
  const { metricsView } = managerOptions(managerFlags(["--allow-metric-labels=m,l='a,b'"]));
  assertEquals(metricsView.allowedLabels, new Map([["m,l", new Set(["a", "b"])]]));
});

Deno.test("ManagerFlags: hidden names deprecated flags that were given", () => {
  assertEquals(managerFlags(["--allow-untagged-cloud", "--node-sync-period=5s"]).hidden, [
    "allow-untagged-cloud",
    "node-sync-period",
  ]);
});

Deno.test("managerOptions takes Go's own limits for 0 requests in a second", () => {
  const { qps, burst } = managerOptions(managerFlags(["--kube-api-qps=0", "--kube-api-burst=0"]));
  assertEquals([qps, burst], [5, 10]);
});

Deno.test("managerOptions reads pairs for names, and what a handshake must come to", () => {
  const options = managerOptions(managerFlags([
    "--tls-sni-cert-key=/a.crt,/a.key",
    "--tls-sni-cert-key=/b.crt,/b.key:b.example,*.b.example",
    "--tls-min-version=VersionTLS13",
    "--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
  ]));
  assertEquals(options.sniCertificates, [
    { certFile: "/a.crt", keyFile: "/a.key", names: [] },
    { certFile: "/b.crt", keyFile: "/b.key", names: ["b.example", "*.b.example"] },
  ]);
  assertEquals(options.tlsDemands, { isTls13Only: true, cipherSuites: ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"] });
});

Deno.test("managerOptions reports the version of --version=vX.Y.Z-MORE", () => {
  assertEquals(
    managerOptions(managerFlags([`--version=${KUBERNETES_VERSION}-mine`])).reportedVersion,
    `${KUBERNETES_VERSION}-mine`,
  );
  assertEquals(managerOptions(managerFlags(["--version=false"])).reportedVersion, KUBERNETES_VERSION);
});
