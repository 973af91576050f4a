import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { encodeBase64 } from "@std/encoding/base64";
import { exportPKCS8, exportSPKI, generateKeyPair, importPKCS8, SignJWT } from "jose";
import { MemoryBackend } from "../../../../../src/sandbox/mod.ts";
import { Harness, type Loose, pod } from "../harness.ts";
import {
  ServiceAccountKeys,
  TokenError,
} from "../../../../../src/sandbox/apiserver/authentication/service_account_keys.ts";
import type { ClientCertificate } from "../../../../../src/sandbox/apiserver/authentication/client_certificate.ts";

const ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts";
const SECRETS = "/api/v1/namespaces/default/secrets";
const WHOAMI = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews";
const HOUR_MS = 3_600_000;

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const whoami = (api: Harness, headers: Record<string, string> = {}) => api.send("POST", WHOAMI, {}, { headers });

async function tokenOf(api: Harness, spec: Loose = {}, account = "default"): Promise<string> {
  return (await api.post(`${ACCOUNTS}/${account}/token`, { spec })).body.status.token;
}

async function review(api: Harness, token: string, audiences?: string[]): Promise<Loose> {
  return (await api.post(REVIEWS, { spec: { token, audiences } })).body.status;
}

function claimsOf(token: string): Loose {
  return JSON.parse(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")));
}

Deno.test("Authenticator: a request without credentials is anonymous, or the administrator's if the mode is none", async () => {
  using open = new Harness();
  assertEquals((await whoami(open)).body.status.userInfo.username, "kubernetes-admin");
  using closed = new Harness({ authentication: "required", authorization: "RBAC" });
  const { status, body } = await closed.get("/api/v1/pods");
  assertEquals([status, body.message.slice(0, 42)], [403, 'pods is forbidden: User "system:anonymous"']);
});

Deno.test("Authenticator knows the administrator's token, and it stays the same over the same data", async () => {
  const backend = new MemoryBackend();
  using first = new Harness({ backend, authentication: "required" });
  const { adminToken } = first.server;
  assertEquals((await whoami(first, bearer(adminToken).headers)).body.status.userInfo.groups, [
    "system:masters",
    "system:authenticated",
  ]);
  using again = new Harness({ backend, authentication: "required" });
  assertEquals(again.server.adminToken, adminToken);
  using given = new Harness({ backend, adminToken: "mine" });
  assertEquals([given.server.adminToken, (await given.get("/api", bearer("mine"))).status], ["mine", 200]);
});

Deno.test("Authenticator: a token is the administrator's, one with which a machine joins, or a service account's by its signature; any other is refused with 401, in every mode; Gate: a request whose credentials are not accepted is refused with 401", async () => {
  using open = new Harness();
  for (const token of ["x", "a.b.c", `${btoa("{}")}.${btoa('{"iss":"kubernetes/serviceaccount"}')}.x`]) {
    const { status, body } = await open.get("/api/v1/pods", bearer(token));
    assertEquals([status, body.message, body.reason, body.details], [401, "Unauthorized", "Unauthorized", undefined]);
  }
  const basic = await open.get("/api", { headers: { authorization: "Basic eDp5" } });
  assertEquals(basic.status, 200);
});

Deno.test("Authenticator lets a service account's token in until it expires", async () => {
  using api = new Harness({ authentication: "none" });
  await api.account("default");
  const token = await tokenOf(api);
  const { body } = await whoami(api, bearer(token).headers);
  assertEquals([body.status.userInfo.username, body.status.userInfo.groups], [
    "system:serviceaccount:default:default",
    ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
  ]);
  await api.world.clock.advance(HOUR_MS + 60_000);
  assertEquals((await api.get("/api", bearer(token))).status, 200);
  await api.world.clock.advance(1000);
  assertEquals((await api.get("/api", bearer(token))).status, 401);
});

Deno.test("Authenticator: a token is the administrator's, one with which a machine joins, or a service account's by its signature", async () => {
  const backend = new MemoryBackend();
  using first = new Harness({ backend });
  await first.account("default");
  const token = await tokenOf(first);
  using again = new Harness({ backend });
  assertEquals((await review(again, token)).authenticated, true);
  using stranger = new Harness();
  await stranger.account("default");
  assertEquals((await review(stranger, token)).error, "[invalid bearer token, invalid signature, no keys found]");
  const forged = token.replace(
    /\..*\./,
    `.${btoa(JSON.stringify({ ...claimsOf(token), sub: "x" })).replaceAll("=", "")}.`,
  );
  assertEquals(
    (await review(again, forged)).error,
    "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]",
  );
});

Deno.test("Authenticator: a token is the administrator's, one with which a machine joins, or a service account's by its signature: until what it is bound to is gone or another one", async () => {
  using api = new Harness();
  await api.account("default");
  await api.post(SECRETS, { metadata: { name: "s" } });
  await api.post("/api/v1/namespaces/default/pods", pod("p"));
  const ref = (kind: string, name: string) => ({ boundObjectRef: { apiVersion: "v1", kind, name } });
  const bySecret = await tokenOf(api, ref("Secret", "s"));
  const byPod = await tokenOf(api, ref("Pod", "p"));
  const unbound = await tokenOf(api);
  assertEquals((await review(api, bySecret)).authenticated, true);
  await api.delete(`${SECRETS}/s`);
  assertEquals(
    (await review(api, bySecret)).error,
    "[invalid bearer token, service account token has been invalidated]",
  );
  await api.post(SECRETS, { metadata: { name: "s" } });
  assertEquals((await review(api, bySecret)).error.includes("does not match service account secret ref claim"), true);
  assertEquals((await review(api, byPod)).user.extra["authentication.kubernetes.io/pod-name"], ["p"]);
  await api.delete("/api/v1/namespaces/default/pods/p");
  assertEquals((await review(api, byPod)).authenticated, undefined);
  await api.delete(`${ACCOUNTS}/default`);
  assertEquals((await review(api, unbound)).error, '[invalid bearer token, serviceaccount "default" not found]');
  await api.account("default");
  assertEquals((await review(api, unbound)).error.includes("does not match claim"), true);
});

Deno.test("Token requests say on which node a pod is, and let what kubelets ask for live on", async () => {
  using api = new Harness();
  await api.account("default");
  await api.post("/api/v1/nodes", { metadata: { name: "n" } });
  await api.post("/api/v1/namespaces/default/pods", pod("p", { nodeName: "n" }));
  const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: "p" };
  const claims = claimsOf(await tokenOf(api, { boundObjectRef, expirationSeconds: 3607 }));
  assertEquals([claims.exp - claims.iat, claims["kubernetes.io"].warnafter - claims.iat], [365 * 24 * 3600, 3607]);
  assertEquals(claims["kubernetes.io"].node.name, "n");
  const foreign = claimsOf(await tokenOf(api, { boundObjectRef, expirationSeconds: 3607, audiences: ["vault"] }));
  assertEquals([foreign.exp - foreign.iat, foreign.aud], [3607, ["vault"]]);
  const onNode = claimsOf(await tokenOf(api, { boundObjectRef: { apiVersion: "v1", kind: "Node", name: "n" } }));
  assertEquals(onNode["kubernetes.io"].node.name, "n");
});

Deno.test("Token reviews answer for the audiences that they are asked about", async () => {
  using api = new Harness();
  await api.account("default");
  const token = await tokenOf(api, { audiences: ["a", "b"] });
  assertEquals((await review(api, token, ["b", "c"])).audiences, ["b"]);
  assertEquals(
    (await review(api, token)).error,
    '[invalid bearer token, token audiences ["a" "b"] is invalid for the target audiences ' +
      '["https://kubernetes.default.svc.cluster.local"]]',
  );
  assertEquals((await api.get("/api", bearer(token))).status, 401);
  assertEquals((await review(api, api.server.adminToken)).user.username, "kubernetes-admin");
  assertEquals((await review(api, api.server.adminToken, ["other"])).error, "invalid bearer token");
});

/** A Secret with a token of the ServiceAccount `default`, as a token controller makes it. */
async function secretToken(api: Harness, key: CryptoKey, alg: string, claims: object = {}): Promise<string> {
  const { uid } = (await api.get(`${ACCOUNTS}/default`)).body.metadata;
  const about = "kubernetes.io/serviceaccount/";
  const token = await new SignJWT({
    iss: "kubernetes/serviceaccount",
    sub: "system:serviceaccount:default:default",
    [`${about}namespace`]: "default",
    [`${about}secret.name`]: "token",
    [`${about}service-account.name`]: "default",
    [`${about}service-account.uid`]: uid,
    ...claims,
  }).setProtectedHeader({ alg }).sign(key);
  await api.post(SECRETS, {
    metadata: { name: "token", annotations: { "kubernetes.io/service-account.name": "default" } },
    type: "kubernetes.io/service-account-token",
    data: { token: encodeBase64(token) },
  });
  return token;
}

Deno.test("Authenticator knows tokens in Secrets that one of the given keys has signed, and notes the day of their use", async () => {
  const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
  using api = new Harness({ serviceAccountKeys: [await exportSPKI(publicKey)] });
  await api.account("default");
  const token = await secretToken(api, privateKey, "RS256");
  const { authenticated, user } = await review(api, token);
  assertEquals([authenticated, user.username], [true, "system:serviceaccount:default:default"]);
  const { metadata } = (await api.get(`${SECRETS}/token`)).body;
  assertEquals(metadata.labels, { "kubernetes.io/legacy-token-last-used": "2026-01-01" });
  await review(api, token);
  assertEquals((await api.get(`${SECRETS}/token`)).body.metadata.resourceVersion, metadata.resourceVersion);
  await api.patch(`${SECRETS}/token`, {
    metadata: { labels: { "kubernetes.io/legacy-token-invalid-since": "2025-12-31" } },
  });
  assertEquals((await review(api, token)).error.includes("has been marked invalid"), true);
  await api.delete(`${SECRETS}/token`);
  assertEquals((await review(api, token)).error, "[invalid bearer token, Token has been invalidated]");
});

Deno.test("Authenticator refuses a token in a Secret that is about another account or not what the Secret holds", async () => {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  using api = new Harness({ serviceAccountKeys: [await exportPKCS8(privateKey)] });
  await api.account("default");
  const wrong = await secretToken(api, privateKey, "ES256", { sub: "system:serviceaccount:default:other" });
  assertEquals((await review(api, wrong)).error, "[invalid bearer token, sub claim is invalid]");
  await api.delete(`${SECRETS}/token`);
  const right = await secretToken(api, privateKey, "ES256");
  await api.patch(`${SECRETS}/token`, { data: { token: "eA==" } });
  assertEquals((await review(api, right)).error, "[invalid bearer token, Token does not match server's copy]");
});

Deno.test("ServiceAccountKeys verifies what it signed, and what a token controller signs with its private key", async () => {
  using api = new Harness();
  await api.account("default");
  const key = await importPKCS8(await api.server.serviceAccountKey(), "ES256");
  assertEquals((await review(api, await secretToken(api, key, "ES256"))).authenticated, true);
});

Deno.test("ServiceAccountKeys: verify accepts what sign made, also in a later process over the same facts", async () => {
  const facts = new MemoryBackend();
  const first = new ServiceAccountKeys({ facts });
  const token = await first.sign({ sub: "a", n: 1 });
  assertEquals(await first.verify(token), { sub: "a", n: 1 });
  const later = new ServiceAccountKeys({ facts });
  assertEquals(await later.verify(token), { sub: "a", n: 1 });
  assertEquals(await first.verify(await later.sign({ sub: "b" })), { sub: "b" });
  await assertRejects(() => new ServiceAccountKeys({ facts: new MemoryBackend() }).verify(token), TokenError);
  const [one, other] = [new ServiceAccountKeys({ facts }), new ServiceAccountKeys({ facts })];
  const [ofOne, ofOther] = await Promise.all([one.sign({ sub: "1" }), other.sign({ sub: "2" })]);
  assertEquals([await other.verify(ofOne), await one.verify(ofOther)], [{ sub: "1" }, { sub: "2" }]);
});

Deno.test("ServiceAccountKeys: verify accepts tokens that were signed with one of publicKeys, by RS256 or ECDSA, and no others", async () => {
  const algorithms = ["RS256", "ES256", "ES384"];
  const pairs = await Promise.all(algorithms.map((name) => generateKeyPair(name, { extractable: true })));
  const publicKeys = await Promise.all(pairs.map(({ publicKey }) => exportSPKI(publicKey)));
  const keys = new ServiceAccountKeys({ facts: new MemoryBackend(), publicKeys });
  const signed = (alg: string, key: CryptoKey | Uint8Array, header: object = {}) =>
    new SignJWT({ sub: "a" }).setProtectedHeader({ alg, ...header }).sign(key);
  for (const [i, { privateKey }] of pairs.entries()) {
    assertEquals(await keys.verify(await signed(algorithms[i], privateKey)), { sub: "a" });
  }
  const stranger = await generateKeyPair("ES256");
  const others: [what: string, token: string][] = [
    ["a stranger's key", await signed("ES256", stranger.privateKey)],
    ["a key id that nobody has", await signed("ES256", pairs[1].privateKey, { kid: "other" })],
    ["another algorithm of the same key", await signed("PS256", await rsaFor("PS256", pairs[0].privateKey))],
    ["a public key taken for a secret", await signed("HS256", new TextEncoder().encode(publicKeys[0]))],
    ["no signature", `${encode({ alg: "none" })}.${encode({ sub: "a" })}.`],
    [
      "claims that were changed",
      (await signed("ES256", pairs[1].privateKey)).replace(/\..*\./, `.${encode({ sub: "b" })}.`),
    ],
  ];
  for (const [what, token] of others) await assertRejects(() => keys.verify(token), TokenError, undefined, what);
});

const encode = (part: object) => encodeBase64(JSON.stringify(part)).replace(/=+$/, "");

async function rsaFor(algorithm: string, key: CryptoKey): Promise<CryptoKey> {
  return await importPKCS8(await exportPKCS8(key), algorithm);
}

Deno.test("ServiceAccountKeys refuses what is no key", () => {
  assertThrows(
    () => new ServiceAccountKeys({ facts: new MemoryBackend(), publicKeys: ["nonsense"] }),
    TypeError,
    "The service account key is not an RSA or ECDSA key in PEM",
  );
});

const certificate = (more: Partial<ClientCertificate> = {}): ClientCertificate => ({
  isVerified: true,
  commonName: "joe",
  organizations: ["devs"],
  fingerprint: "ab",
  ...more,
});

Deno.test("Authenticator: a client certificate takes precedence over a token, and any but a verified one is refused", async () => {
  using api = new Harness({ authentication: "required" });
  const ask = async (shown: ClientCertificate, headers: Record<string, string> = {}) => {
    const response = await api.server.fetch(api.request("POST", WHOAMI, {}, { headers }), shown);
    return { status: response.status, user: (await response.json()).status?.userInfo };
  };
  const { authorization } = bearer(api.server.adminToken).headers;
  assertEquals((await ask(certificate(), { authorization })).user, {
    username: "joe",
    groups: ["devs", "system:authenticated"],
    extra: { "authentication.kubernetes.io/credential-id": ["X509SHA256=ab"] },
  });
  assertEquals((await ask(certificate({ isVerified: false }))).status, 401);
  assertEquals((await ask(certificate({ isVerified: false }), { authorization })).user.username, "kubernetes-admin");
  assertEquals((await ask(certificate({ commonName: "" }), { authorization })).user.username, "kubernetes-admin");
});

Deno.test("Authenticator: a token by which a machine joins is good while its Secret says so", async () => {
  const id = "abcdef";
  const token = `${id}.0123456789abcdef`;
  const good = { "token-id": id, "token-secret": "0123456789abcdef", "usage-bootstrap-authentication": "true" };
  const groupsWith = async (change: Loose, given = token, secret: Loose = {}): Promise<Loose> => {
    using api = new Harness({ authentication: "required" });
    const admin = bearer(api.server.adminToken);
    const body = { metadata: { name: `bootstrap-token-${id}` }, type: "bootstrap.kubernetes.io/token", ...secret };
    const stringData = { ...good, ...change };
    const made = await api.send("POST", "/api/v1/namespaces/kube-system/secrets", { ...body, stringData }, admin);
    assertEquals(made.status, 201);
    const { status, body: answer } = await whoami(api, bearer(given).headers);
    return status === 201 ? answer.status.userInfo : status;
  };
  assertEquals(await groupsWith({ "auth-extra-groups": "system:bootstrappers:b,system:bootstrappers:a" }), {
    username: "system:bootstrap:abcdef",
    groups: ["system:bootstrappers", "system:bootstrappers:a", "system:bootstrappers:b", "system:authenticated"],
  });
  assertEquals((await groupsWith({ expiration: "2026-01-01T01:00:00Z" })).username, "system:bootstrap:abcdef");
  const refused: readonly [Loose, string?, Loose?][] = [
    [{ "usage-bootstrap-authentication": "false" }],
    [{ "usage-bootstrap-authentication": "" }],
    [{ expiration: "2026-01-01T00:00:00Z" }],
    [{ expiration: "tomorrow" }],
    [{ "auth-extra-groups": "system:masters" }],
    [{ "auth-extra-groups": "system:bootstrappers:a," }],
    [{ "token-id": "fedcba" }],
    [{}, `${id}.0123456789abcdee`],
    [{}, `fedcba.0123456789abcdef`],
    [{}, token, { type: "Opaque" }],
  ];
  for (const [change, given, secret] of refused) assertEquals(await groupsWith(change, given, secret), 401);
});
