import { assertEquals, assertThrows } from "@std/assert";
import {
  FlagError,
  Flags,
  hiddenFlags,
  idleFlags,
  managerFlags,
  managerOptions,
  selectControllers,
  UnknownControllerError,
} from "../../src/manager/mod.ts";
import { KNOWN_CONTROLLERS } from "../../src/controllers/mod.ts";

const enabled = (...entries: string[]) => [...selectControllers(entries)];
const defaults = KNOWN_CONTROLLERS.filter((known) => known.enabledByDefault).map((known) => known.name);

Deno.test("Flags reads --name=value and --name value, booleans only after =", () => {
  const flags = managerFlags(["--kubeconfig=/a", "--master", "https://b", "--leader-elect=false", "--profiling"]);
  assertEquals(flags.string("kubeconfig"), "/a");
  assertEquals(flags.string("master"), "https://b");
  assertEquals(flags.bool("leader-elect"), false);
  assertEquals(flags.bool("profiling"), true);
  assertEquals(managerFlags(["--leader-elect", "false"]).positional, ["false"]);
});

Deno.test("Flags takes _ and - in names for the same", () => {
  assertEquals(managerFlags(["--leader_elect=false"]).bool("leader-elect"), false);
});

Deno.test("Flags adds up a list given several times, in place of its default", () => {
  assertEquals(managerFlags([]).strings("controllers"), ["*"]);
  assertEquals(managerFlags(["--controllers=a,b", "--controllers", "c"]).strings("controllers"), ["a", "b", "c"]);
});

Deno.test("Flags refuses what is not defined or not of its type, in upstream's words", () => {
  const cases: [args: string[], message: string][] = [
    [["--nosuchflag"], "unknown flag: --nosuchflag"],
    [["-x"], "unknown shorthand flag: 'x' in -x"],
    [["--kubeconfig"], "flag needs an argument: --kubeconfig"],
    [
      ["--leader-elect=maybe"],
      'invalid argument "maybe" for "--leader-elect" flag: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    [
      ["--secure-port=x"],
      'invalid argument "x" for "--secure-port" flag: strconv.ParseInt: parsing "x": invalid syntax',
    ],
    [
      ["--min-resync-period=12"],
      'invalid argument "12" for "--min-resync-period" flag: time: missing unit in duration "12"',
    ],
    [["--bind-address=here"], 'invalid argument "here" for "--bind-address" flag: failed to parse IP: "here"'],
    [["-v=high"], 'invalid argument "high" for "-v, --v" flag: strconv.ParseInt: parsing "high": invalid syntax'],
  ];
  for (const [args, message] of cases) {
    const error = assertThrows(() => managerFlags(args), FlagError);
    assertEquals((error as Error).message, message);
  }
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
  assertEquals(idleFlags(flags).includes("cluster-cidr"), true);
  assertEquals(idleFlags(flags).includes("kubeconfig"), false);
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
  assertEquals(options.controllerOptions.concurrentGcSyncs, 20);
});

Deno.test("managerOptions refuses values that cannot work", () => {
  const cases: [args: string[], message: string][] = [
    [["--leader-elect-lease-duration=10s"], "leaseDuration must be greater than renewDeadline"],
    [["--leader-elect-retry-period=9s"], "renewDeadline must be greater than retryPeriod*JitterFactor"],
    [["--leader-elect-resource-lock=endpoints"], 'resourceLock value must be "leases"'],
    [["--logging-format=xml"], 'format: Invalid value: "xml": Unsupported log format'],
    [["--concurrent-gc-syncs=0"], "concurrentGcSyncs must be greater than 0, but got 0"],
    [["--tls-cert-file=/a"], "--tls-cert-file and --tls-private-key-file must be given together"],
  ];
  for (const [args, message] of cases) {
    assertEquals((assertThrows(() => managerOptions(managerFlags(args)), FlagError) as Error).message, message);
  }
  assertThrows(
    () => managerOptions(managerFlags(["--cloud-provider=aws"])),
    FlagError,
    "built-in cloud providers are disabled",
  );
  assertEquals(managerOptions(managerFlags(["--cloud-provider=external"])).securePort, 10257);
});

Deno.test("selectControllers follows the table of the process specification", () => {
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
  assertThrows(
    () => selectControllers(["foo"]),
    UnknownControllerError,
    '"foo" is not in the list of known controllers',
  );
  assertThrows(
    () => selectControllers(["-foo", "bar"]),
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
  const entries = Object.fromEntries(managerFlags(["--allow-metric-labels=m,l='a,b'"]).entries());
  assertEquals(entries["tls-curve-preferences"], "[]");
  assertEquals(entries["feature-gates"], "");
  assertEquals(entries["controllers"], "[*]");
  assertEquals(entries["allow-metric-labels"], "[m,l='a,b']");
});

Deno.test("managerFlags refuses a pair without =, and takes commas in a single one", () => {
  const message = 'invalid argument "x" for "--allow-metric-labels" flag: x must be formatted as key=value';
  assertEquals(assertThrows(() => managerFlags(["--allow-metric-labels=x"]), FlagError).message, message);
  const { metricsView } = managerOptions(managerFlags(["--allow-metric-labels=m,l='a,b'"]));
  assertEquals(metricsView.allowedLabels, new Map([["m,l", new Set(["a", "b"])]]));
});

Deno.test("hiddenFlags names deprecated flags that were given", () => {
  assertEquals(hiddenFlags(managerFlags(["--allow-untagged-cloud", "--node-sync-period=5s"])), [
    "allow-untagged-cloud",
    "node-sync-period",
  ]);
});

Deno.test("managerOptions joins objections to feature gates with the others", () => {
  assertEquals(
    assertThrows(() => managerOptions(managerFlags(["--feature-gates=X=true", "--secure-port=70000"])), FlagError)
      .message,
    "[unrecognized feature gate: X, --secure-port 70000 must be between 0 and 65535, inclusive. 0 for turning off secure port.]",
  );
});
