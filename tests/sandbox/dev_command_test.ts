/** `kubeloop dev` and `kubeloop apiserver`, as people and scripts meet them. */
import { SELECTABLE_CONTROLLERS } from "../../src/manager/mod.ts";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parse } from "@std/yaml";
import { systemWorld } from "../../src/base/mod.ts";
import { MemoryLogger } from "../../src/base/mod.ts";
import { CONFIGMAPS, DEPLOYMENTS, PODS } from "../../src/api/mod.ts";
import { Client, loadClientConfig, transportOf } from "../../src/client/mod.ts";
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
      /^controllers +.*deployment-controller/,
      /^applied +Deployment shop\/cart$/,
      /^nodes +3 ready$/,
      /^ready +after \d+\.\d s$/,
      /^deployment +shop\/cart: 2\/2 ready, 2 up to date, 2 in all$/,
      /^manifests +all ready$/,
    ]
  ) assert(lines.some((each) => line.test(each)), `${line} in\n${out}`);
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

Deno.test("dev with --server simulates the nodes of another API server", async () => {
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
  await connection.client.create(DEPLOYMENTS, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default" },
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "web:1" }] } },
    },
  });
  await dev.line(/^deployment +default\/web: 1\/1 ready/);
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
  SELECTABLE_CONTROLLERS.map(({ name }) => name).join(", ");

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
  const dev = (...flags: string[]) => refusal("dev", "--port=0", `--kubeconfig=${path}/kubeconfig`, ...flags);
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
    "Error: Cannot read the manifest: ",
    'Error: Cannot apply Pod a: Pod "a" is invalid: spec.containers: Required value',
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
