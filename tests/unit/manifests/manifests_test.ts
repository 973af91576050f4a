import { assert, assertEquals, assertFalse, assertGreater } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { COMPILE_FLAGS } from "../../../.ci/release/runtime_flags.ts";
import { VERSION } from "../../../src/api/mod.ts";
import { FakeWorld } from "../../../src/base/mod.ts";
import { isBuilt, KNOWN_CONTROLLERS } from "../../../src/controllers/mod.ts";
import {
  CLOUD_CONTROLLER_MANAGER,
  flagsOf,
  KUBE_CONTROLLER_MANAGER,
  leaderMigration,
  managerFlags,
  managerOptions,
} from "../../../src/manager/mod.ts";
import { runCommand } from "../../../src/cli/mod.ts";
import { WEBSITE_DEFINITION } from "../../sandbox/website_definition.ts";
import { allManifests, bareNames, documents, manifestText, metricsIn, queries } from "./reading.ts";

const ROOT = fromFileUrl(new URL("../../../", import.meta.url));

interface Probe {
  readonly failureThreshold: number;
  readonly periodSeconds: number;
}

interface StaticPod {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels: Record<string, string> };
  readonly spec: Record<string, unknown> & {
    readonly containers: readonly (Record<string, unknown> & {
      readonly command: readonly string[];
      readonly image: string;
      readonly livenessProbe: Probe;
      readonly startupProbe: Probe;
      readonly volumeMounts: readonly { name: string; mountPath: string; readOnly: boolean }[];
    })[];
    readonly volumes: readonly { name: string; hostPath: { path: string; type: string } }[];
  };
}

/** Names and kinds of the metrics that the sources register. */
async function registeredMetrics(folder = `${ROOT}src/`): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) {
      for (const [metric, kind] of await registeredMetrics(`${folder}${name}/`)) found.set(metric, kind);
    } else if (name.endsWith(".ts")) {
      // Examples in comments register nothing.
      const text = (await Deno.readTextFile(folder + name)).replaceAll(/^ *\*.*$/gm, "");
      for (const [, kind, metric] of text.matchAll(/\.(counter|gauge|histogram)\(\{[^}]*?\bname:\s*"(\w+)"/g)) {
        found.set(metric, kind);
      }
    }
  }
  return found;
}

/** Values of `key` in a unit, with continued lines joined. */
function unitValues(unit: string, key: string): string[] {
  const lines = unit.replaceAll("\\\n", " ").split("\n");
  return lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1));
}

Deno.test("manifests parse as YAML and JSON, each file with a line in the README", async () => {
  const readme = await manifestText("README.md");
  const names = await allManifests();
  for (const name of names.filter((name) => /\.(yaml|json)$/.test(name))) {
    for (const document of await documents(name)) assert(document instanceof Object, `${name} holds more than objects`);
  }
  for (const name of names.filter((name) => name !== "README.md")) {
    assert(readme.includes(`\`${name.replace(/^examples\/.*/, "examples/")}\``), `README.md does not tell of ${name}`);
  }
});

Deno.test("the static pod has the probes, ports, mounts and settings that kubeadm 1.36 writes", async () => {
  const [{ metadata, spec: { containers: [container], volumes, ...spec } }] = await documents<StaticPod>(
    "kubeadm/kube-controller-manager.yaml",
  );
  const { command: _, image, volumeMounts, livenessProbe, startupProbe, ...rest } = container;
  assertEquals(metadata, {
    name: "kube-controller-manager",
    namespace: "kube-system",
    labels: { component: "kube-controller-manager", tier: "control-plane" },
  });
  assertEquals<unknown>(spec, {
    hostNetwork: true,
    priority: 2000001000,
    priorityClassName: "system-node-critical",
    securityContext: { seccompProfile: { type: "RuntimeDefault" } },
  });
  // No readiness probe: the rest is all there is.
  assertEquals(rest, {
    name: "kube-controller-manager",
    imagePullPolicy: "IfNotPresent",
    ports: [{ containerPort: 10257, name: "probe-port", protocol: "TCP" }],
    resources: { requests: { cpu: "200m" } },
  });
  const probe = {
    httpGet: { host: "127.0.0.1", path: "/healthz", port: "probe-port", scheme: "HTTPS" },
    initialDelaySeconds: 10,
    timeoutSeconds: 15,
    periodSeconds: 10,
  };
  assertEquals<unknown>(livenessProbe, { ...probe, failureThreshold: 8 });
  assertEquals<unknown>(startupProbe, { ...probe, failureThreshold: 24 });
  const mounts: [name: string, path: string, type: string][] = [
    ["ca-certs", "/etc/ssl/certs", "DirectoryOrCreate"],
    ["etc-ca-certificates", "/etc/ca-certificates", "DirectoryOrCreate"],
    ["k8s-certs", "/etc/kubernetes/pki", "DirectoryOrCreate"],
    ["kubeconfig", "/etc/kubernetes/controller-manager.conf", "FileOrCreate"],
    ["usr-local-share-ca-certificates", "/usr/local/share/ca-certificates", "DirectoryOrCreate"],
    ["usr-share-ca-certificates", "/usr/share/ca-certificates", "DirectoryOrCreate"],
  ];
  assertEquals(volumeMounts, mounts.map(([name, mountPath]) => ({ name, mountPath, readOnly: true })));
  assertEquals(volumes, mounts.map(([name, path, type]) => ({ name, hostPath: { path, type } })));
  assertEquals(image, `localhost/kubeloop:${VERSION}-root`);
});

Deno.test("the static pod has kubeadm's command line, and the manager takes it", async () => {
  const [{ spec: { containers: [{ command }] } }] = await documents<StaticPod>("kubeadm/kube-controller-manager.yaml");
  assertEquals(command, [
    "kube-controller-manager",
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
  const { kubeconfig, securePort, bindAddress, election } = managerOptions(managerFlags(command.slice(1)));
  assertEquals([kubeconfig, securePort, bindAddress], ["/etc/kubernetes/controller-manager.conf", 10257, "127.0.0.1"]);
  assert(election.enabled);
});

Deno.test("Containerfile starts what `task compile` makes, as the command of its name and not as root", async () => {
  const text = await manifestText("Containerfile");
  const [, source, target] = /^COPY --chmod=0555 (\S+) (\S+)$/m.exec(text)!;
  const { tasks } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
  assert(tasks.compile.command.endsWith(`--output ${source}`), `task compile does not make ${source}`);
  const [entrypoint, ...args] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(text)![1]);
  assertEquals([entrypoint, ...args], [target]);
  // For `kubeloop` alone --version is no command; under the other name it is a flag of the manager.
  assertEquals(await runCommand(entrypoint, ["--version"]), 0);
  const stages = text.split(/^FROM /m).slice(1);
  assertEquals(stages.map((stage) => stage.split("\n")[0]), ["${BASE} AS base", "scratch AS root", "root"]);
  assertEquals(stages.map((stage) => /^USER (.*)$/m.exec(stage)?.[1]), [undefined, undefined, "65532:65532"]);
  for (const [, tag] of text.matchAll(/-t localhost\/kubeloop:([\d.]+)/g)) assertEquals(tag, VERSION);
});

Deno.test("the unit runs the manager with flags it has, and every credential it names is loaded", async () => {
  const unit = await manifestText("systemd/kubeloop.service");
  const [execStart] = unitValues(unit, "ExecStart");
  const [program, command, ...args] = execStart.split(/\s+/);
  assertEquals([program, command], ["/usr/local/bin/kubeloop", "kube-controller-manager"]);
  const flags = managerFlags(args);
  assertEquals(flags.positional, []);
  managerOptions(flags);
  const loaded = unitValues(unit, "LoadCredential").map((value) => value.split(":")[0]);
  const named = new Set([...execStart.matchAll(/%d\/(\S+)/g)].map(([, name]) => name));
  assertEquals([...named].sort(), loaded.sort());
  // It has a folder to send its notifications from, and waits no less than the kubelet does on kubeadm's machines.
  assertEquals(unitValues(unit, "Type"), ["notify"]);
  assertEquals(unitValues(unit, "RuntimeDirectory"), ["kubeloop"]);
  const [{ spec: { containers: [{ livenessProbe }] } }] = await documents<StaticPod>(
    "kubeadm/kube-controller-manager.yaml",
  );
  const { failureThreshold, periodSeconds } = livenessProbe;
  assertEquals(unitValues(unit, "WatchdogSec"), [`${failureThreshold * periodSeconds}s`]);
  // V8 needs memory that is both writable and executable; systemd may wait longer than the controllers may take.
  assertEquals(unitValues(unit, "MemoryDenyWriteExecute"), []);
  assertEquals(unitValues(unit, "Restart"), ["always"]);
  assertGreater(
    parseInt(unitValues(unit, "TimeoutStopSec")[0]),
    flags.durationMs("controller-shutdown-timeout") / 1000,
  );
});

Deno.test("the static pod and the unit of cloud-controller-manager have flags it takes, its port, and files that are mounted", async () => {
  const [{ spec: { containers: [container], volumes } }] = await documents<StaticPod>(
    "kubeadm/cloud-controller-manager.yaml",
  );
  const [program, command, ...args] = container.command;
  assertEquals([program, command], ["kube-controller-manager", "cloud-controller-manager"]);
  assertEquals(await runCommand(program, [command, "--version"]), 0);
  const flags = managerFlags(args, CLOUD_CONTROLLER_MANAGER);
  assertEquals(flags.positional, []);
  const { securePort, election, useServiceAccountCredentials, cloud } = managerOptions(flags);
  assertEquals([securePort, election.resourceName, useServiceAccountCredentials], [
    10258,
    "cloud-controller-manager",
    true,
  ]);
  assertEquals(container.ports, [{ containerPort: 10258, name: "probe-port", protocol: "TCP" }]);
  assertEquals(container.image, `localhost/kubeloop:${VERSION}-root`);
  const mounted = container.volumeMounts.map(({ mountPath }) => mountPath);
  for (const [, path] of args.join(" ").matchAll(/=(\/\S+)/g)) {
    assert(mounted.some((mount) => path === mount || path.startsWith(`${mount}/`)), `${path} is not mounted`);
  }
  assertEquals(volumes.map(({ hostPath }) => hostPath.path).sort(), mounted.sort());
  assert(container.volumeMounts.every(({ readOnly }) => readOnly));

  const unit = await manifestText("systemd/kubeloop-cloud.service");
  const [execStart] = unitValues(unit, "ExecStart");
  const [executable, unitCommand, ...unitArgs] = execStart.split(/\s+/);
  assertEquals([executable, unitCommand], ["/usr/local/bin/kubeloop", "cloud-controller-manager"]);
  const unitCloud = managerOptions(managerFlags(unitArgs, CLOUD_CONTROLLER_MANAGER)).cloud;
  assertEquals(unitCloud?.name, cloud?.name);
  const loaded = unitValues(unit, "LoadCredential").map((value) => value.split(":")[0]);
  const named = new Set([...execStart.matchAll(/%d\/(\S+)/g)].map(([, name]) => name));
  assertEquals([...named].sort(), loaded.sort());
  // All that keeps the other unit's process from its machine keeps this one, too.
  const other = await manifestText("systemd/kubeloop.service");
  const confining = (text: string) => /# No MemoryDenyWriteExecute[^]*$/.exec(text)![0];
  assertEquals(confining(unit), confining(other));
});

Deno.test("rbac-cloud.yaml names cloud-controller-manager's leases and the accounts of its controllers, and no more of them", async () => {
  interface Role {
    readonly kind: string;
    readonly metadata: { readonly name: string };
    readonly rules?: readonly { verbs: string[]; resources?: string[]; resourceNames?: string[] }[];
  }
  const roles = (await documents<Role>("rbac-cloud.yaml")).flatMap(({ rules = [] }) => rules);
  const namesOf = (resource: string) =>
    roles.filter(({ resources = [] }) => resources.includes(resource)).flatMap(({ resourceNames = [] }) =>
      resourceNames
    );
  const migration = await leaderMigration(
    new FakeWorld().files,
    managerFlags(["--enable-leader-migration"], CLOUD_CONTROLLER_MANAGER),
  );
  assertEquals(namesOf("leases"), ["cloud-controller-manager", migration!.leaderName]);
  const accounts = new Set(CLOUD_CONTROLLER_MANAGER.controllers.map(({ clientName }) => clientName));
  assertEquals(namesOf("serviceaccounts/token").sort(), [...accounts].sort());
  for (const { verbs, resources = [] } of roles) {
    assertFalse([...verbs, ...resources].includes("*"), "rights are named one by one");
    assertEquals([new Set(verbs).size, new Set(resources).size], [verbs.length, resources.length]);
  }
});

Deno.test("the walk-through from a vendor's manager names flags, files and controllers that there are, and a migration that works", async () => {
  const readme = await manifestText("README.md");
  const section = readme.slice(
    readme.indexOf("## cloud-controller-manager, in place"),
    readme.indexOf("## Metrics and"),
  );
  const known = new Set([CLOUD_CONTROLLER_MANAGER, KUBE_CONTROLLER_MANAGER].flatMap(flagsOf).map(({ name }) => name));
  const foreign = ["all-namespaces", "client-name", "field-selector", "replicas"];
  for (const [, name] of section.matchAll(/--([a-z][a-z-]+)/g)) {
    assert(known.has(name) || foreign.includes(name), `--${name} is no flag`);
  }
  const all = await allManifests();
  for (const [, name] of section.matchAll(/manifests\/([\w./-]+\.yaml)/g)) assert(all.includes(name), name);
  const world = new FakeWorld();
  world.fileContents.set("/m.yaml", /```yaml\n([^]*?)```/.exec(section)![1]);
  for (const component of [KUBE_CONTROLLER_MANAGER, CLOUD_CONTROLLER_MANAGER]) {
    const flags = managerFlags(["--enable-leader-migration", "--leader-migration-config=/m.yaml"], component);
    const migration = await leaderMigration(world.files, flags);
    const moving = component.controllers.filter((row) => isBuilt(row) && migration!.byMigrationLease.has(row.name));
    assertEquals(moving.map(({ name }) => name), ["node-ipam-controller"], component.name);
  }
});

Deno.test("nothing that is meant for production runs with all permissions", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
  const texts = new Map<string, string>([
    ...["dev", "compile", "release"].map((task) => [`task ${task}`, tasks[task].command] as const),
    ...await Promise.all((await allManifests()).map(async (name) => [name, await manifestText(name)] as const)),
    ["the executable", COMPILE_FLAGS.join(" ")],
  ]);
  for (const [name, text] of texts) {
    assertFalse(/(^|\s)(-A|--allow-all)(\s|$)/.test(text), `${name} has all permissions`);
  }
});

Deno.test("alerts and dashboard read metrics that the sources register, by their kind", async () => {
  const registered = await registeredMetrics();
  const jobs = (await documents<{ scrape_configs: { job_name: string }[] }>("prometheus/scrape-config.yaml"))[0]
    .scrape_configs.map(({ job_name }) => job_name);
  for (const query of await queries()) {
    assertEquals(bareNames(query), [], `${query.where} reads from every job`);
    const uses = metricsIn(query);
    assertGreater(uses.length, 0, query.where);
    for (const { name, job } of uses) {
      assert(job !== undefined && jobs.includes(job), `${query.where}: nothing scrapes job ${job}`);
      if (name === "up") continue; // Prometheus's own
      const histogram = /^(.*)_(?:bucket|sum|count)$/.exec(name)?.[1];
      const kind = registered.get(name) ?? (registered.get(histogram ?? "") === "histogram" ? "bucket" : undefined);
      assert(kind, `${query.where}: no source registers ${name}`);
      const isRate = new RegExp(`\\b(rate|increase)\\(${name}\\{`).test(query.text);
      assertEquals(isRate, kind === "counter" || kind === "bucket", `${query.where}: ${name} is a ${kind}`);
    }
  }
});

Deno.test("bareNames finds metrics without a selector, and nothing else", () => {
  const query = (text: string) => ({ where: "", text, shown: [] });
  assertEquals(bareNames(query('sum by (name, le) (rate(a_bucket{job="x", code=~"5..|y"}[5m])) > 1')), []);
  assertEquals(bareNames(query("max(b_seconds) / rate(c_total[5m])")), ["b_seconds", "c_total"]);
});

Deno.test("the example's WebSite is the one that the README's controller is tested with", async () => {
  assertEquals(await documents("examples/website_definition.yaml"), [WEBSITE_DEFINITION]);
});

Deno.test("rbac.yaml gives every rule a purpose: no verb and no resource twice in one rule, no right to everything", async () => {
  interface Role {
    readonly rules?: readonly { readonly verbs: readonly string[]; readonly resources?: readonly string[] }[];
  }
  for (const { rules = [] } of await documents<Role>("rbac.yaml")) {
    for (const { verbs, resources = [] } of rules) {
      assertFalse(verbs.includes("*"), "verbs must be named one by one");
      assertEquals([new Set(verbs).size, new Set(resources).size], [verbs.length, resources.length]);
      // Creating and updating anything at all would be the right to any role.
      if (resources.includes("*")) {
        assertEquals(verbs.filter((verb) => /^(create|update|escalate|bind)$/.test(verb)), []);
      }
    }
  }
});

Deno.test("beside kubeadm's manager, each controller runs in one of the two managers, and all that kubeadm has run in one", async () => {
  const readme = await manifestText("README.md");
  const [upstream, kubeloop] = [...readme.matchAll(/^- --controllers=(.*)$/gm)].map(([, names]) => names.split(","));
  const kubeadm = /--controllers=(.*)/.exec(await manifestText("kubeadm/kube-controller-manager.yaml"))![1].split(",");
  assertEquals(kubeloop, [...kubeadm, ...upstream.map((name) => `-${name}`)]);
  const known = KNOWN_CONTROLLERS.map(({ name }) => name);
  assertEquals(upstream.filter((name) => !known.includes(name)), []);
});

Deno.test("kubeloop has every controller of kube-controller-manager but those of clouds", () => {
  const missing = KNOWN_CONTROLLERS.filter((row) =>
    !isBuilt(row) && !row.needs?.cloud && row.hosts.includes("kube-controller-manager")
  );
  assertEquals(missing.map(({ name }) => name), []);
});
