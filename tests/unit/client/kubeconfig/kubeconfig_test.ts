import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { ConfigError, loadClientConfig, mergeKubeconfigs, parseKubeconfig } from "../../../../src/client/mod.ts";

const FILE = "/etc/kubernetes/admin.conf";
const CA = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

/** A kubeconfig with one context, from the fields of its cluster and user. */
function kubeconfig(cluster: string, user = ""): string {
  return `
apiVersion: v1
kind: Config
current-context: here
contexts: [{ name: here, context: { cluster: home, user: me, namespace: ns } }]
clusters: [{ name: home, cluster: { ${cluster} } }]
users: [{ name: me, user: { ${user} } }]
`;
}

/** Loads `text` as `--kubeconfig`, with further files beside it. */
function load(text: string, files: Record<string, string> = {}, master?: string) {
  const world = new FakeWorld({ files: { [FILE]: text, ...files } });
  return loadClientConfig(world, { kubeconfig: FILE, master, env: {} });
}

const HTTPS = "server: 'https://10.0.0.1:6443/'";

Deno.test("loadClientConfig reads a kubeconfig with everything", async () => {
  const config = await load(
    kubeconfig(
      `${HTTPS}, tls-server-name: kube.test, certificate-authority-data: ${btoa(CA)}, proxy-url: 'socks5://p:1080',
       disable-compression: true`,
      `client-certificate: pki/me.crt, client-key-data: ${btoa("KEY")}, as: other, as-uid: u, as-groups: [g],
       as-user-extra: { scopes: [a, b] }`,
    ),
    { "/etc/kubernetes/pki/me.crt": CA },
  );
  assertEquals(config, {
    server: "https://10.0.0.1:6443",
    namespace: "ns",
    ca: { text: CA },
    caData: CA,
    tlsServerName: "kube.test",
    insecure: undefined,
    proxyUrl: "socks5://p:1080",
    disableCompression: true,
    clientCertificate: { file: "/etc/kubernetes/pki/me.crt" },
    clientKey: { text: "KEY" },
    token: undefined,
    tokenFile: undefined,
    basic: undefined,
    exec: undefined,
    impersonate: { user: "other", uid: "u", groups: ["g"], extra: new Map([["scopes", ["a", "b"]]]) },
  });
});

Deno.test("loadClientConfig reads a kubeconfig in JSON", async () => {
  const text = JSON.stringify({
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "k" } }],
    clusters: [{ name: "k", cluster: { server: "https://h" } }],
  });
  assertEquals((await load(text)).server, "https://h");
});

Deno.test("loadClientConfig drops credentials for a server without https, but not the impersonation", async () => {
  const config = await load(kubeconfig("server: 'http://h:8080'", "token: secret, as: other"));
  assertEquals([config.token, config.impersonate?.user], [undefined, "other"]);
});

Deno.test("loadClientConfig takes a server without a scheme for http, or https where TLS is configured", async () => {
  assertEquals((await load(kubeconfig("server: 'h:8080'"))).server, "http://h:8080");
  assertEquals((await load(kubeconfig("server: 'h:8080', insecure-skip-tls-verify: true"))).server, "https://h:8080");
});

Deno.test("loadClientConfig with master uses that server, without the name of the other, and with the credentials", async () => {
  const config = await load(kubeconfig(`${HTTPS}, tls-server-name: kube.test`, "token: t"), {}, "https://other:6443");
  assertEquals([config.server, config.tlsServerName, config.token], ["https://other:6443", undefined, "t"]);
});

Deno.test("loadClientConfig does not blame the kubeconfig for a master that is not a server", async () => {
  const error = await assertRejects(() => load(kubeconfig(HTTPS), {}, "::::"), ConfigError);
  assertEquals(error.message, 'server: host must be a URL or a host:port pair: "::::"');
});

Deno.test("loadClientConfig with master needs no kubeconfig", async () => {
  const world = new FakeWorld();
  const config = await loadClientConfig(world, { kubeconfig: "", master: "http://h:8080", env: {} });
  assertEquals(config.server, "http://h:8080");
});

Deno.test("loadClientConfig keeps the token as the fallback of a token file", async () => {
  const config = await load(kubeconfig(HTTPS, "token: t, tokenFile: token"));
  assertEquals([config.token, config.tokenFile], ["t", "/etc/kubernetes/token"]);
});

Deno.test("loadClientConfig resolves an exec command with a separator by the file, and leaves others to the path", async () => {
  const exec = (command: string) =>
    load(kubeconfig(HTTPS, `exec: { command: ${command}, apiVersion: client.authentication.k8s.io/v1beta1 }`));
  assertEquals((await exec("bin/login")).exec?.command, "/etc/kubernetes/bin/login");
  assertEquals((await exec("aws")).exec?.command, "aws");
  assertEquals((await exec("aws")).exec?.interactiveMode, "IfAvailable");
});

Deno.test("loadClientConfig tells an exec plugin about the cluster only when asked to", async () => {
  const cluster = `${HTTPS}, certificate-authority-data: ${btoa(CA)},
    extensions: [{ name: client.authentication.k8s.io/exec, extension: { a: 1 } }]`;
  const user = (info: boolean) =>
    `exec: { command: x, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, provideClusterInfo: ${info} }`;
  assertEquals((await load(kubeconfig(cluster, user(false)))).exec?.cluster, undefined);
  const told = (await load(kubeconfig(cluster, user(true)))).exec?.cluster;
  assertEquals([told?.server, told?.certificateAuthority, told?.config], ["https://10.0.0.1:6443", CA, { a: 1 }]);
});

const CERT = `client-certificate-data: ${btoa(CA)}`;
const EXEC = "command: x, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never";

/** What is wrong, by the words that must be in the message. */
const INVALID: readonly (readonly [words: string, cluster: string, user?: string])[] = [
  ['no server found for cluster "home"', ""],
  [
    "certificate-authority-data and certificate-authority are both specified for home",
    `${HTTPS}, certificate-authority: f, certificate-authority-data: QQ==`,
  ],
  [
    "specifying a root certificates file with the insecure flag is not allowed",
    `${HTTPS}, insecure-skip-tls-verify: true, certificate-authority-data: QQ==`,
  ],
  ['invalid \'proxy-url\' "ftp://p" for cluster "home"', `${HTTPS}, proxy-url: 'ftp://p'`],
  [
    "unable to read certificate-authority /etc/kubernetes/no for home due to stat /etc/kubernetes/no: no such file",
    `${HTTPS}, certificate-authority: no`,
  ],
  ['host must be a URL or a host:port pair: "https://"', "server: 'https://'"],
  ["host must be a URL or a host:port pair", "server: 'ftp://h'"],
  ["client-key-data or client-key must be specified for me", HTTPS, CERT],
  [
    "client-cert-data and client-cert are both specified for me",
    HTTPS,
    `${CERT}, client-certificate: f, client-key: k`,
  ],
  ["client-key-data and client-key are both specified for me", HTTPS, `${CERT}, client-key-data: QQ==, client-key: k`],
  ["unable to read client-cert /etc/kubernetes/no for me", HTTPS, "client-certificate: no, client-key-data: QQ=="],
  ["unable to read client-key /etc/kubernetes/no for me", HTTPS, `${CERT}, client-key: no`],
  ["unable to read tokenFile /etc/kubernetes/no for me", HTTPS, "tokenFile: no"],
  [
    "more than one authentication method found for me; found [token basicAuth]",
    HTTPS,
    "token: t, username: u, password: p",
  ],
  [
    "authProvider cannot be provided in combination with an exec plugin for me",
    HTTPS,
    `auth-provider: { name: gcp }, exec: { ${EXEC} }`,
  ],
  ["auth-provider is not supported for me", HTTPS, "auth-provider: { name: gcp }"],
  [
    "command must be specified for me to use exec authentication plugin",
    HTTPS,
    "exec: { apiVersion: client.authentication.k8s.io/v1beta1 }",
  ],
  [
    "apiVersion must be specified for me to use exec authentication plugin",
    HTTPS,
    "exec: { command: x, interactiveMode: Never }",
  ],
  [
    'exec plugin for me: invalid apiVersion "v1"',
    HTTPS,
    "exec: { command: x, apiVersion: v1, interactiveMode: Never }",
  ],
  [
    "interactiveMode must be specified for me to use exec authentication plugin",
    HTTPS,
    "exec: { command: x, apiVersion: client.authentication.k8s.io/v1 }",
  ],
  [
    'invalid interactiveMode for me: "Sometimes"',
    HTTPS,
    "exec: { command: x, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Sometimes }",
  ],
  ["env variable name must be specified for me", HTTPS, `exec: { ${EXEC}, env: [{ value: x }] }`],
  ["requesting uid, groups or user-extra for me without impersonating a user", HTTPS, "as-groups: [g]"],
];

for (const [words, cluster, user] of INVALID) {
  Deno.test(`loadClientConfig refuses: ${words}`, async () => {
    const error = await assertRejects(() => load(kubeconfig(cluster, user)), ConfigError);
    assertStringIncludes(error.message, words);
    assertEquals(error.message.includes("\n"), false);
  });
}

Deno.test("loadClientConfig lists all that is wrong, with the file", async () => {
  const error = await assertRejects(() => load(kubeconfig("", "as-uid: u")), ConfigError);
  assertEquals(
    error.message,
    `invalid configuration: [${FILE}: no server found for cluster "home", ` +
      `${FILE}: requesting uid, groups or user-extra for me without impersonating a user]`,
  );
});

/** Files that cannot be read, by the message. */
const UNREADABLE: Readonly<Record<string, string>> = {
  [`${FILE}: clusters must be a list, not a mapping`]: "clusters: {}",
  [`${FILE}: clusters[0].cluster.server must be a string, not a number`]:
    "clusters: [{ name: a, cluster: { server: 5 } }]",
  [`${FILE}: clusters[0].cluster.insecure-skip-tls-verify must be true or false, not a string`]:
    "clusters: [{ name: a, cluster: { insecure-skip-tls-verify: 'yes' } }]",
  [`${FILE}: clusters[0].cluster.certificate-authority-data is not valid base64`]:
    "clusters: [{ name: a, cluster: { certificate-authority-data: 'QQ=' } }]",
  [`${FILE}: users[0].user.client-key-data is not valid base64`]:
    "users: [{ name: a, user: { client-key-data: '-----' } }]",
  [`${FILE}: users[0].user.token must be a string, not a number`]: "users: [{ name: a, user: { token: 12345 } }]",
  [`${FILE}: users[0].user.as-groups[1] must be a string, not a number`]:
    "users: [{ name: a, user: { as-groups: [a, 1] } }]",
  [`${FILE}: users[0].user.exec.args must be a list, not a string`]:
    "users: [{ name: a, user: { exec: { args: x } } }]",
  [`${FILE}: users[1].name: duplicate name "a"`]: "users: [{ name: a, user: {} }, { name: a, user: {} }]",
  [`${FILE}: contexts[0] must be a mapping, not a string`]: "contexts: [x]",
  [`${FILE}: current-context must be a string, not a list`]: "current-context: []",
  [`${FILE}: must be a mapping, not a string`]: "just text",
  [`${FILE}: kind must be "Config" and apiVersion "v1", not "Pod" and "v1"`]: "{ kind: Pod, apiVersion: v1 }",
};

for (const [message, text] of Object.entries(UNREADABLE)) {
  Deno.test(`parseKubeconfig refuses: ${message}`, () => {
    assertThrows(() => parseKubeconfig(text, FILE), ConfigError, message);
  });
}

Deno.test("parseKubeconfig says in one line that a file is not YAML", () => {
  for (const text of ["a: [", "\t- x: {", "a: b: c", "%", '"']) {
    const error = assertThrows(() => parseKubeconfig(text, FILE), ConfigError);
    assertStringIncludes(error.message, `${FILE}: not valid YAML: `);
    assertEquals(error.message.includes("\n"), false);
  }
});

Deno.test("parseKubeconfig takes an empty file for an empty configuration, and passes over unknown fields", () => {
  assertEquals(parseKubeconfig("", FILE).clusters.size, 0);
  const { clusters } = parseKubeconfig(
    "{ preferences: { colors: true }, clusters: [{ name: a, x: 1, cluster: null }] }",
    FILE,
  );
  assertEquals(clusters.get("a")?.server, "");
});

Deno.test("parseKubeconfig takes base64 that is folded over several lines", () => {
  const folded = btoa(CA).replace(/(.{20})/g, "$1\n        ");
  const text = `clusters:\n- name: a\n  cluster:\n    certificate-authority-data: |\n        ${folded}\n`;
  assertEquals(parseKubeconfig(text, FILE).clusters.get("a")?.certificateAuthorityData, CA);
});

Deno.test("mergeKubeconfigs lets the first of two entries count, whole, and the first current context", () => {
  const first = parseKubeconfig("clusters: [{ name: a, cluster: { server: 'https://1' } }]", "/1/config");
  const second = parseKubeconfig(
    "{ current-context: x, clusters: [{ name: a, cluster: { server: 'https://2', tls-server-name: n } }, { name: b, cluster: {} }] }",
    "/2/config",
  );
  const merged = mergeKubeconfigs([first, second]);
  assertEquals(merged.currentContext, "x");
  assertEquals(merged.clusters.get("a")?.server, "https://1");
  assertEquals(merged.clusters.get("a")?.tlsServerName, "");
  assertEquals(merged.clusters.has("b"), true);
});
