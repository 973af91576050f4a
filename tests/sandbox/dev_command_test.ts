/** `kubeloop dev` and `kubeloop apiserver`, as people and scripts meet them. */
import { KUBE_CONTROLLER_MANAGER } from "../../src/manager/mod.ts";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parse } from "@std/yaml";
import { MemoryLogger, systemWorld } from "../../src/base/mod.ts";
import { CONFIGMAPS, DEPLOYMENTS, PERSISTENTVOLUMECLAIMS, PODS } from "../../src/api/mod.ts";
import { Client, loadClientConfig, transportOf } from "../../src/client/mod.ts";
import { kubeconfigText } from "../../src/sandbox/mod.ts";
import { kubeloop, KubeloopProcess } from "./kubeloop_process.ts";

/** A folder that is gone with the test. */
async function folder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir();
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** A client of whoever a kubeconfig names, for as long as the block lasts. */
async function clientOf(kubeconfig: string): Promise<{ readonly client: Client } & Disposable> {
  const world = systemWorld(new MemoryLogger());
  const config = await loadClientConfig(world, { kubeconfig });
  const transport = transportOf(world, config);
  const client = new Client({ world, transport, server: config.server, userAgent: "test" });
  return { client, [Symbol.dispose]: () => transport.close() };
}

/** The last line of what a command said that was refused. */
async function refusal(...args: string[]): Promise<string> {
  const { code, err } = await kubeloop(...args);
  assertEquals(code, 1, err);
  assert(!/^\s+at /m.test(err), `no stack trace: ${err}`);
  return err.trim().split("\n").at(-1)!;
}

const MANIFEST = `
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: cart, namespace: shop }
spec:
  replicas: 2
  selector: { matchLabels: { app: cart } }
  template:
    metadata: { labels: { app: cart } }
    spec: { containers: [{ name: cart, image: "cart:1" }] }
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: db }
spec:
  serviceName: db
  selector: { matchLabels: { app: db } }
  template:
    metadata: { labels: { app: db } }
    spec: { containers: [{ name: db, image: "db:1" }] }
`;

Deno.test("dev applies manifests, says what happens, and with --once ends when all of it is ready", async () => {
  await using temporary = await folder();
  await Deno.writeTextFile(`${temporary.path}/shop.yaml`, MANIFEST);
  const kubeconfig = `--kubeconfig=${temporary.path}/kubeconfig`;
  const { code, out, err } = await kubeloop(
    "dev",
    "--port=0",
    "--once",
    kubeconfig,
    `--apply=${temporary.path}/shop.yaml`,
  );
  assertEquals([code, err], [0, ""]);
  const lines = out.split("\n");
  for (
    const line of [
      /^API server +http:\/\/127\.0\.0\.1:\d+$/,
      /^kubectl +kubectl --kubeconfig .*\/kubeconfig get all$/,
      /^controllers +\d+ \(--controllers chooses/,
      /^applied +Deployment shop\/cart$/,
      /^nodes +3 ready$/,
      /^ready +after \d+\.\d s$/,
      /^deployment +shop\/cart: 2\/2 ready, 2 up to date, 2 in all$/,
      /^manifests +all ready$/,
    ]
  ) assert(lines.some((each) => line.test(each)), `${line} in\n${out}`);
});

const BALANCED = `
apiVersion: v1
kind: Service
metadata: { name: inside }
spec: { ports: [{ port: 80 }] }
---
apiVersion: v1
kind: Service
metadata: { name: outside }
spec: { type: LoadBalancer, ports: [{ port: 80 }] }
`;

Deno.test("dev says for which controller a Service waits, and nothing of the kind of one that needs no balancer", async () => {
  await using temporary = await folder();
  await Deno.writeTextFile(`${temporary.path}/services.yaml`, BALANCED);
  const files = [`--kubeconfig=${temporary.path}/kubeconfig`, `--apply=${temporary.path}/services.yaml`];
  const { code, out } = await kubeloop("dev", "--port=0", "--once", ...files);
  assertEquals(code, 0, out);
  assertStringIncludes(out, "default/outside: waits for the service-lb-controller, which does not run here\n");
  const waiting = out.split("\n").filter((line) => line.includes("waits for the service-lb-controller"));
  assertEquals(waiting.length, 1, out);
});

const NEVER_READY = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: stuck }
spec:
  selector: { matchLabels: { app: stuck } }
  template:
    metadata: { labels: { app: stuck }, annotations: { kubeloop.dev/ready-after: never } }
    spec: { containers: [{ name: stuck, image: "stuck:1" }] }
`;

const POLICY = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: few-replicas }
spec:
  matchConstraints:
    resourceRules: [{ apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments] }]
  validations: [{ expression: "object.spec.replicas <= 5" }]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: { name: few-replicas }
spec: { policyName: few-replicas, validationActions: [Deny] }
`;

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.test(`dev ends soon after the first ${signal}, whatever it waits for: something that never gets ready`, async () => {
    await using temporary = await folder();
    const { path } = temporary;
    await Deno.writeTextFile(`${path}/stuck.yaml`, NEVER_READY);
    const flags = ["--port=0", `--kubeconfig=${path}/kubeconfig`, `--apply=${path}/stuck.yaml`];
    await using dev = new KubeloopProcess("dev", ...flags);
    await dev.line(/^deployment +default\/stuck: 0\/1 ready, 1 up to date/);
    assertEquals((await dev.stop(signal)).code, 0);
    // A script must not take this for success.
    await using once = new KubeloopProcess("dev", ...flags, "--once");
    await once.line(/^deployment +default\/stuck: 0\/1 ready, 1 up to date/);
    const { code, err } = await once.stop(signal);
    assertEquals(code, 1);
    assertStringIncludes(err, "Error: stopped before everything was ready: Deployment default/stuck: 0/1 ready");
  });
}

Deno.test("runDev: it ends soon after ended aborts, whatever it waits for: somebody who never sends the rest of a request", async () => {
  await using temporary = await folder();
  const { path } = temporary;
  const flags = ["--port=0", "--nodes=0", `--kubeconfig=${path}/kubeconfig`, `--data-dir=${path}/data`];
  await using dev = new KubeloopProcess("dev", ...flags);
  const [, port] = await dev.line(/^API server +http:.*:(\d+)$/);
  await dev.line(/^ready/);
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
  const head =
    "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{";
  await connection.write(new TextEncoder().encode(head));
  // The server has it when it answers somebody who asked later.
  await (await fetch(`http://127.0.0.1:${port}/version`)).body?.cancel();
  assertEquals((await dev.stop("SIGINT")).code, 0);
  const left = await Array.fromAsync(Deno.readDir(`${path}/data`), ({ name }) => name);
  assertEquals(left, ["objects.db"], "the database was closed");
});

Deno.test("runDev: with --once it fails at the timeout and says what is not ready", async () => {
  await using temporary = await folder();
  const { path } = temporary;
  await Deno.writeTextFile(`${path}/stuck.yaml`, NEVER_READY);
  const flags = ["--port=0", `--kubeconfig=${path}/kubeconfig`, "--once"];
  const line = await refusal("dev", ...flags, `--apply=${path}/stuck.yaml`, "--timeout=8s");
  assertMatch(
    line,
    /^Error: not everything is ready after 8 s: Deployment default\/stuck: 0\/1 ready, 1 up to date, 1 in all/,
  );
  assertMatch(line, /last warning: Pod default\/stuck-\w+-\w+: Unhealthy: Readiness probe failed/);
});

Deno.test("dev --once waits for what it applied, whatever that is, and for nothing else", async () => {
  await using temporary = await folder();
  const { path } = temporary;
  await Deno.writeTextFile(`${path}/stuck.yaml`, NEVER_READY);
  const pod = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: a}]}}";
  const settings = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}";
  await Deno.writeTextFile(`${path}/pod.yaml`, `${pod}\n---\n${settings}`);
  const kept = ["--port=0", `--kubeconfig=${path}/kubeconfig`, `--data-dir=${path}/data`];
  {
    await using dev = new KubeloopProcess("dev", ...kept, `--apply=${path}/stuck.yaml`);
    await dev.line(/^deployment +default\/stuck: 0\/1 ready, 1 up to date/);
    await dev.stop();
  }
  const { code, out, err } = await kubeloop("dev", ...kept, "--once", `--apply=${path}/pod.yaml`);
  assertEquals([code, err], [0, ""]);
  assertMatch(out, /^manifests +all ready$/m);
});

Deno.test("dev says why a manifest is refused, and nothing of what it then stops", async () => {
  await using temporary = await folder();
  const { path } = temporary;
  const right = "{apiVersion: v1, kind: ConfigMap, metadata: {name: right}}";
  const wrong = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: wrong}, spec: {replica: 1}}";
  await Deno.writeTextFile(`${path}/wrong.yaml`, `${right}\n---\n${wrong}\n`);
  const flags = ["--port=0", `--kubeconfig=${path}/kubeconfig`, `--apply=${path}/wrong.yaml`];
  const { code, err } = await kubeloop("dev", ...flags);
  assertEquals(code, 1);
  assertMatch(
    err,
    /^Error: Cannot apply Deployment wrong of ".*wrong.yaml": .*replica: field not declared in schema\n$/,
  );
});

Deno.test("dev passes on what the API server warns of when manifests are applied, each warning once", async () => {
  await using temporary = await folder();
  const { path } = temporary;
  await Deno.writeTextFile(`${path}/policy.yaml`, POLICY);
  const flags = ["--port=0", `--kubeconfig=${path}/kubeconfig`, "--once", `--apply=${path}/policy.yaml`];
  const { code, err } = await kubeloop("dev", ...flags);
  assertEquals(code, 0);
  assertMatch(err, /^Warning: ValidatingAdmissionPolicies and their bindings are stored, but [^\n]*\n$/);
});

Deno.test("KubeconfigClaim: a file written by another running dev or apiserver is refused, and the error gives that one's address; KubeconfigClaim: the claim ends with the process, however that ends", async () => {
  await using temporary = await folder();
  const kubeconfig = `${temporary.path}/kubeconfig`;
  await using first = new KubeloopProcess("dev", "--port=0", "--nodes=0", `--kubeconfig=${kubeconfig}`);
  const [, url] = await first.line(/^API server +(\S+)$/);
  const written = await Deno.readTextFile(kubeconfig);
  for (const command of ["dev", "apiserver"]) {
    const line = await refusal(command, "--port=0", `--kubeconfig=${kubeconfig}`);
    assertEquals(
      line,
      `Error: Cannot write the kubeconfig "${kubeconfig}": another kubeloop, at ${url}, runs and has written it; ` +
        "end that one, or start this one with --port 0 and --kubeconfig FILE",
    );
  }
  assertEquals(await Deno.readTextFile(kubeconfig), written);
  {
    await using second = new KubeloopProcess("dev", "--port=0", "--nodes=0", `--kubeconfig=${kubeconfig}-2`);
    await second.line(/^ready/);
    assertEquals((await second.stop()).code, 0);
  }
  await first.stop("SIGKILL");
  await using third = new KubeloopProcess("dev", "--port=0", "--nodes=0", `--kubeconfig=${kubeconfig}`);
  await third.line(/^ready/);
});

Deno.test("KubeconfigClaim: a file that kubeloop did not write is refused and left unchanged", async () => {
  await using temporary = await folder();
  const { path } = temporary;
  const theirs = "apiVersion: v1\nkind: Config\nclusters: [{ name: prod, cluster: { server: 'https://prod' } }]\n";
  await Deno.writeTextFile(`${path}/config`, theirs);
  await Deno.writeTextFile(`${path}/notes`, "not even YAML: [");
  for (const name of ["config", "notes"]) {
    assertEquals(
      await refusal("dev", "--port=0", `--kubeconfig=${path}/${name}`),
      `Error: Cannot write the kubeconfig "${path}/${name}": the file was not written by kubeloop, and is left as it is; ` +
        "name another file with --kubeconfig",
    );
  }
  assertEquals(await Deno.readTextFile(`${path}/config`), theirs);
});

Deno.test("KubeconfigClaim: only this user may read what is written, whoever could read the one before", async () => {
  await using temporary = await folder();
  const kubeconfig = `${temporary.path}/kubeconfig`;
  await Deno.writeTextFile(kubeconfig, kubeconfigText({ server: "http://127.0.0.1:1" }), { mode: 0o644 });
  await using dev = new KubeloopProcess("dev", "--port=0", "--nodes=0", "--tls", `--kubeconfig=${kubeconfig}`);
  await dev.line(/^ready/);
  assertEquals((await Deno.stat(kubeconfig)).mode! & 0o777, 0o600);
  assertMatch(await Deno.readTextFile(kubeconfig), /token: /);
});

Deno.test("the dev task lets flags name any path, and says so truly where Deno may not", async () => {
  await using temporary = await folder();
  const { path } = temporary;
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
  const [program, ...args] = (tasks.dev.command as string).split(" ");
  assertEquals(program, "deno");
  // On a terminal Deno would ask, and everything in the process would wait for the answer.
  assert(args.includes("--no-prompt"));
  const dev = async (...words: string[]) => {
    const cwd = new URL("../../", import.meta.url);
    const flags = ["--port=0", "--nodes=0", "--once", `--kubeconfig=${path}/a/kubeconfig`, `--data-dir=${path}/b/data`];
    const env = { NO_COLOR: "1" };
    const { code, stderr } = await new Deno.Command(Deno.execPath(), { args: [...words, ...flags], cwd, env }).output();
    return { code, err: new TextDecoder().decode(stderr) };
  };
  await Deno.writeTextFile(`${path}/a.yaml`, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}");
  assertEquals(await dev(...args, `--apply=${path}/a.yaml`), { code: 0, err: "" });
  assertEquals((await Deno.stat(`${path}/b/data/objects.db`)).isFile, true);
  const narrow = args.map((arg) => arg === "--allow-write" ? `--allow-write=${path}/a` : arg);
  const { code, err } = await dev(...narrow);
  assertEquals(code, 1);
  assertStringIncludes(
    err,
    `Cannot use the data directory "${path}/b/data": Deno was started without the right to use it`,
  );
});

Deno.test("why asks in the namespace of the context", async () => {
  await using temporary = await folder();
  const { path } = temporary;
  await Deno.writeTextFile(`${path}/shop.yaml`, MANIFEST);
  const kubeconfig = `--kubeconfig=${path}/kubeconfig`;
  await using dev = new KubeloopProcess("dev", "--port=0", kubeconfig, `--apply=${path}/shop.yaml`);
  await dev.line(/^manifests +all ready$/);
  const written = await Deno.readTextFile(`${path}/kubeconfig`);
  // As `kubectl config set-context --current --namespace shop` does.
  await Deno.writeTextFile(`${path}/kubeconfig`, written.replace("      user:", "      namespace: shop\n      user:"));
  const { code, out, err } = await kubeloop("why", "deploy/cart", kubeconfig);
  assertEquals([code, err], [0, ""]);
  assertStringIncludes(out, "deployment/shop/cart");
  const elsewhere = await kubeloop("why", "deploy/cart", kubeconfig, "--namespace=default");
  assertEquals(elsewhere.code, 1);
});

Deno.test("dev serves kubectl's clients over https with --tls, and stops cleanly at Ctrl-C", async () => {
  await using temporary = await folder();
  const kubeconfig = `${temporary.path}/kubeconfig`;
  await using dev = new KubeloopProcess("dev", "--port=0", "--tls", "--nodes=1", `--kubeconfig=${kubeconfig}`);
  await dev.line(/^example +all ready$/);
  const { clusters, users } = parse(await Deno.readTextFile(kubeconfig)) as {
    clusters: { cluster: { server: string; "certificate-authority-data": string } }[];
    users: { user: { token: string } }[];
  };
  assertMatch(clusters[0].cluster.server, /^https:\/\/127\.0\.0\.1:\d+$/);
  assertStringIncludes(atob(clusters[0].cluster["certificate-authority-data"]), "BEGIN CERTIFICATE");
  assert(users[0].user.token.length > 10);
  assertEquals((await Deno.stat(kubeconfig)).mode! & 0o777, 0o600, "nobody else reads the token");
  {
    using connection = await clientOf(kubeconfig);
    const { status } = await connection.client.get(DEPLOYMENTS, { namespace: "default", name: "web" });
    assertEquals(status?.readyReplicas, 3);
  }
  assertEquals(await dev.stop("SIGINT"), { code: 0, err: "" });
});

Deno.test("dev with --data-dir goes on where it was stopped, however suddenly", async () => {
  await using temporary = await folder();
  const { path } = temporary;
  const flags = ["--port=0", "--tls", `--kubeconfig=${path}/kubeconfig`, `--data-dir=${path}/data`];
  let uids: unknown[] = [];
  const podUids = async (client: Client) =>
    (await client.list(PODS, { namespace: "default" })).items.map(({ metadata }) => metadata?.uid);
  {
    await using dev = new KubeloopProcess("dev", ...flags);
    await dev.line(/^example +all ready$/);
    using connection = await clientOf(`${path}/kubeconfig`);
    uids = await podUids(connection.client);
    await dev.stop("SIGKILL");
  }
  const old = await Deno.readTextFile(`${path}/kubeconfig`);
  await using dev = new KubeloopProcess("dev", ...flags);
  await dev.line(/^example +all ready$/);
  using connection = await clientOf(`${path}/kubeconfig`);
  assertEquals(await podUids(connection.client), uids, "the same pods");
  const credentials = (text: string) => text.replace(/127\.0\.0\.1:\d+/, "");
  assertEquals(credentials(await Deno.readTextFile(`${path}/kubeconfig`)), credentials(old), "the same credentials");
});

Deno.test("dev with --server simulates the nodes and the volumes of another API server", async () => {
  await using temporary = await folder();
  const kubeconfig = `${temporary.path}/kubeconfig`;
  await using server = new KubeloopProcess(
    "apiserver",
    "--port=0",
    "--tls",
    "--controllers",
    `--kubeconfig=${kubeconfig}`,
  );
  const [, url] = await server.line(/^ready (\S+) /);
  await using dev = new KubeloopProcess(
    "dev",
    `--server=${url}`,
    `--kubeconfig=${kubeconfig}`,
    "--nodes=2",
    "--scheduler",
  );
  await dev.line(/^nodes +2 ready$/);
  using connection = await clientOf(kubeconfig);
  await connection.client.create(PERSISTENTVOLUMECLAIMS, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data", namespace: "default" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  await connection.client.create(DEPLOYMENTS, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default" },
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: {
          containers: [{ name: "web", image: "web:1" }],
          volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
        },
      },
    },
  });
  await dev.line(/^deployment +default\/web: 1\/1 ready/);
  const { status } = await connection.client.get(PERSISTENTVOLUMECLAIMS, { namespace: "default", name: "data" });
  assertEquals(status?.phase, "Bound");
  assertEquals((await dev.stop()).code, 0);
  assertEquals((await server.stop()).code, 0);
});

Deno.test("apiserver says when it is ready, runs nothing else, and stops at SIGTERM", async () => {
  await using temporary = await folder();
  const kubeconfig = `${temporary.path}/kubeconfig`;
  await using server = new KubeloopProcess("apiserver", "--port=0", `--kubeconfig=${kubeconfig}`);
  const [, url, path] = await server.line(/^ready (http:\/\/127\.0\.0\.1:\d+) (.*)$/);
  assertEquals(path, kubeconfig);
  assertEquals(await (await fetch(`${url}/readyz`)).text(), "ok");
  using connection = await clientOf(kubeconfig);
  const { items } = await connection.client.list(CONFIGMAPS, { namespace: "default" });
  assertEquals(items, [], "no controller publishes a root CA");
  assertEquals(await server.stop(), { code: 0, err: "" });
});

const CONTROLLER_NAMES = "--controllers takes *, or NAME or -NAME, where NAME is one of " +
  KUBE_CONTROLLER_MANAGER.controllers.map(({ name }) => name).join(", ");

Deno.test("dev and apiserver refuse flags that cannot be, in one last line", async () => {
  const cases: [args: string[], line: string][] = [
    [["dev", "--nosuchflag"], "Error: unknown flag: --nosuchflag"],
    [["dev", "x"], 'Error: "dev" does not take any arguments, got x'],
    [["dev", "--nodes=-1"], "Error: --nodes must not be negative"],
    [["dev", "--controllers=foo"], `Error: "foo" is not in the list of known controllers: ${CONTROLLER_NAMES}`],
    [
      ["dev", "--server=http://127.0.0.1:1", "--tls"],
      "Error: --tls is about the API server of this process, and --server names another one",
    ],
    [["dev", "--scheduler"], "Error: --scheduler needs --server"],
    [["dev", "--timeout=1s"], "Error: --timeout needs --once"],
    [["dev", "--once", "--timeout=-1s"], "Error: --timeout must not be negative"],
    [
      ["apiserver", "--authorization-mode=Webhook"],
      'Error: invalid argument "Webhook" for "--authorization-mode" flag: it must be AlwaysAllow or RBAC',
    ],
  ];
  await Promise.all(cases.map(async ([args, line]) => assertEquals(await refusal(...args), line)));
});

Deno.test("a port in use, a data directory or a manifest that cannot be used, each is one clear line", async () => {
  await using temporary = await folder();
  const { path } = temporary;
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  await Deno.writeTextFile(`${path}/file`, "not a directory");
  await Deno.mkdir(`${path}/foreign`);
  await Deno.writeTextFile(`${path}/foreign/objects.db`, "somebody else's data, which is longer than a header");
  await Deno.writeTextFile(`${path}/bad.yaml`, "kind: [");
  await Deno.writeTextFile(
    `${path}/refused.yaml`,
    "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: []}}",
  );
  let started = 0;
  const dev = (...flags: string[]) =>
    refusal("dev", "--port=0", `--kubeconfig=${path}/kubeconfig-${started++}`, ...flags);
  const lines = await Promise.all([
    dev(`--port=${listener.addr.port}`),
    dev(`--data-dir=${path}/file`),
    dev(`--data-dir=${path}/foreign`),
    dev(`--apply=${path}/none.yaml`),
    dev(`--apply=${path}/bad.yaml`),
    dev(`--apply=${path}/refused.yaml`),
    dev(`--kubeconfig=${path}/file/kubeconfig`),
    refusal("dev", "--server=http://127.0.0.1:1"),
  ]);
  listener.close();
  const expected = [
    `Error: listen tcp 127.0.0.1:${listener.addr.port}: address in use`,
    `Error: Cannot use the data directory "${path}/file": it is a file`,
    `Error: Cannot use the data directory "${path}/foreign": `,
    `Error: Cannot read the manifest "${path}/none.yaml": `,
    `Error: Cannot read the manifest "${path}/bad.yaml": `,
    `Error: Cannot apply Pod a of "${path}/refused.yaml": Pod "a" is invalid: spec.containers: Required value`,
    `Error: Cannot write the kubeconfig "${path}/file/kubeconfig": `,
    "Error: ",
  ];
  for (const [i, line] of lines.entries()) assertStringIncludes(line, expected[i]);
  assertStringIncludes(lines.at(-1)!, "127.0.0.1:1");
  assertEquals(
    await Deno.readTextFile(`${path}/foreign/objects.db`),
    "somebody else's data, which is longer than a header",
    "untouched",
  );
});
