import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { ConfigError, loadClientConfig, NoConfigurationError } from "../../../../src/client/mod.ts";

const NO_CONFIGURATION =
  "invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable";

const config = (server: string, extra = "") =>
  `{ current-context: c, contexts: [{ name: c, context: { cluster: k } }], clusters: [{ name: k, cluster: { server: '${server}' } }] ${extra} }`;

const POD = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" };
const TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token";
const CA = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt";

Deno.test("loadClientConfig with --kubeconfig reads that file only", async () => {
  const world = new FakeWorld({ files: { "/a": config("https://a"), "/b": config("https://b") } });
  const found = await loadClientConfig(world, { kubeconfig: "/a", env: { ...POD, KUBECONFIG: "/b", HOME: "/" } });
  assertEquals(found.server, "https://a");
});

Deno.test("loadClientConfig says which file is missing", async () => {
  const error = await assertRejects(
    () => loadClientConfig(new FakeWorld(), { kubeconfig: "/no", env: {} }),
    ConfigError,
  );
  assertEquals(error.message, "stat /no: no such file or directory");
});

Deno.test("loadClientConfig says which context, cluster or user is unknown", async () => {
  const contexts = "contexts: [{ name: c, context: { cluster: k, user: u } }]";
  const cases: Readonly<Record<string, string>> = {
    "context was not found for specified context: c": "{ current-context: c }",
    'cluster "k" was not found for context "c"': `{ current-context: c, ${contexts} }`,
    'user "u" was not found for context "c"':
      `{ current-context: c, ${contexts}, clusters: [{ name: k, cluster: { server: 'https://h' } }] }`,
  };
  for (const [words, text] of Object.entries(cases)) {
    const world = new FakeWorld({ files: { "/a": text } });
    const error = await assertRejects(() => loadClientConfig(world, { kubeconfig: "/a", env: {} }), ConfigError);
    assertEquals(error.message, `invalid configuration: ${words}`);
  }
});

Deno.test("loadClientConfig uses the context asked for", async () => {
  const text = `{ current-context: no, contexts: [{ name: b, context: { cluster: k } }],
    clusters: [{ name: k, cluster: { server: 'https://b' } }] }`;
  const world = new FakeWorld({ files: { "/a": text } });
  assertEquals((await loadClientConfig(world, { kubeconfig: "/a", context: "b", env: {} })).server, "https://b");
});

Deno.test("loadClientConfig has no configuration without current context, cluster and master", async () => {
  const world = new FakeWorld({ files: { "/a": "clusters: [{ name: k, cluster: { server: 'https://h' } }]" } });
  await assertRejects(() => loadClientConfig(world, { kubeconfig: "/a", env: {} }), ConfigError, NO_CONFIGURATION);
  const found = await loadClientConfig(world, { kubeconfig: "/a", master: "http://m", env: {} });
  assertEquals(found.server, "http://m");
});

Deno.test("loadClientConfig with empty flags is the pod's service account, with a warning", async () => {
  const world = new FakeWorld({ files: { [TOKEN]: "abc\n", [CA]: "CA" } });
  const found = await loadClientConfig(world, { kubeconfig: "", master: "", env: POD });
  assertEquals(found, { server: "https://10.96.0.1:443", token: "abc", tokenFile: TOKEN, ca: { file: CA } });
  assertEquals(
    world.log.lines[0].message,
    "Neither --kubeconfig nor --master was specified. Using the inClusterConfig. This might not work.",
  );
});

Deno.test("loadClientConfig with empty flags outside of a pod has no configuration", async () => {
  const env = { KUBECONFIG: "/a", HOME: "/" };
  const world = new FakeWorld({ files: { "/a": config("https://a") } });
  await assertRejects(
    () => loadClientConfig(world, { kubeconfig: "", master: "", env }),
    ConfigError,
    NO_CONFIGURATION,
  );
});

Deno.test("loadClientConfig in a pod brackets an IPv6 address, and does without a CA it cannot read", async () => {
  const world = new FakeWorld({ files: { [TOKEN]: "abc" } });
  const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
  const found = await loadClientConfig(world, { kubeconfig: "", env });
  assertEquals([found.server, found.ca], ["https://[fd00::1]:443", undefined]);
  assertStringIncludes(world.log.lines.at(-1)!.message, "Expected to load root CA config from");
});

Deno.test("loadClientConfig in a pod needs the token", async () => {
  const error = await assertRejects(() => loadClientConfig(new FakeWorld(), { kubeconfig: "", env: POD }), ConfigError);
  assertStringIncludes(error.message, TOKEN);
});

Deno.test("loadClientConfig without flags merges the files of KUBECONFIG, and passes over missing ones", async () => {
  const first = "{ current-context: c, clusters: [{ name: k, cluster: { server: 'https://first' } }] }";
  const world = new FakeWorld({ files: { "/b": first, "/c": config("https://second") } });
  const found = await loadClientConfig(world, { env: { KUBECONFIG: "/a::/b:/c:/b" } });
  assertEquals(found.server, "https://first");
});

Deno.test("loadClientConfig without flags does not pass over a file of KUBECONFIG that is broken", async () => {
  const world = new FakeWorld({ files: { "/b": "{" } });
  await assertRejects(() => loadClientConfig(world, { env: { KUBECONFIG: "/b" } }), ConfigError, "/b: not valid YAML");
});

Deno.test("loadClientConfig without flags reads the file in the home folder, then the pod's service account", async () => {
  const home = new FakeWorld({ files: { "/home/me/.kube/config": config("https://home") } });
  assertEquals((await loadClientConfig(home, { env: { HOME: "/home/me", ...POD } })).server, "https://home");
  const pod = new FakeWorld({ files: { [TOKEN]: "abc", [CA]: "CA" } });
  assertEquals((await loadClientConfig(pod, { env: { HOME: "/home/me", ...POD } })).token, "abc");
});

Deno.test("loadClientConfig without flags says where it looked", async () => {
  const cases: [env: Record<string, string>, files: Record<string, string>, said: string][] = [
    [{}, {}, "$KUBECONFIG is not set"],
    [{ HOME: "/home/me" }, {}, "$KUBECONFIG is not set, and there is no /home/me/.kube/config"],
    [{ HOME: "/home/me", KUBECONFIG: "/nope" }, {}, "$KUBECONFIG is /nope, and there is no such file"],
    [{ KUBECONFIG: "/nope:/neither" }, {}, "$KUBECONFIG is /nope:/neither, and there is no such file"],
    [{ KUBECONFIG: "/empty" }, { "/empty": "" }, "/empty names no current context with a cluster"],
  ];
  for (const [env, files, said] of cases) {
    const error = await assertRejects(() => loadClientConfig(new FakeWorld({ files }), { env }), NoConfigurationError);
    assertEquals(error.message, `invalid configuration: no configuration has been provided: ${said}`);
  }
});

Deno.test("loadClientConfig with a server takes kubectl's credentials for it, and none where there are none", async () => {
  const text = `{ current-context: c, contexts: [{ name: c, context: { cluster: k, user: u } }],
    clusters: [{ name: k, cluster: { server: 'https://k' } }], users: [{ name: u, user: { token: t } }] }`;
  const world = new FakeWorld({ files: { "/b": text } });
  const at = (server: string, env: Record<string, string>) => loadClientConfig(world, { server, env });
  const found = await at("https://other", { KUBECONFIG: "/a:/b" });
  assertEquals([found.server, found.token], ["https://other", "t"]);
  const plain = await at("http://other", { KUBECONFIG: "/b" });
  assertEquals([plain.server, plain.token], ["http://other", undefined], "anybody could read it");
  assertEquals((await at("http://alone", { KUBECONFIG: "/nope" })).server, "http://alone");
});
