import { assertEquals, assertRejects } from "@std/assert";
import { type ConfigMap, CONFIGMAPS, type Secret, SECRETS } from "../../../../src/api/mod.ts";
import { detachedSignature } from "../../../../src/controllers/bootstrap_signer/detached_signature.ts";
import { configMapHandler, tokenHandler } from "../../../../src/controllers/bootstrap_signer/handlers.ts";
import { syncSignatures } from "../../../../src/controllers/bootstrap_signer/sync.ts";
import { base64, Rig } from "../token_secrets/rig.ts";

const INFO = { namespace: "kube-public", name: "cluster-info" };
const SIGNATURE = "eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiYzEyMyJ9..QSxpUG7Q542CirTI2ECPSZjvBOJURUW5a7XqFpNI958";
const KEY = "jws-kubeconfig-abc123";
const PUT = "PUT configmaps/cluster-info";

function info(data: Readonly<Record<string, string>> = { kubeconfig: "payload" }): ConfigMap {
  return { metadata: { ...INFO, uid: "1" }, data: { ...data } };
}

function token(texts: Readonly<Record<string, string | undefined>> = {}, name = "bootstrap-token-abc123"): Secret {
  const usual = { "token-id": "abc123", "token-secret": "tokenSecret", "usage-bootstrap-signing": "true" };
  return {
    metadata: { namespace: "kube-system", name, uid: name },
    type: "bootstrap.kubernetes.io/token",
    data: base64({ ...usual, ...texts }),
  };
}

async function setUp({ infos = [info()], tokens = [token()] }: { infos?: ConfigMap[]; tokens?: Secret[] } = {}) {
  const rig = new Rig();
  const configMaps = await rig.cached(CONFIGMAPS, infos);
  const secrets = await rig.cached(SECRETS, tokens);
  const sync = () =>
    syncSignatures("kube-public/cluster-info", { world: rig.world, client: rig.client, configMaps, secrets });
  const data = async () => (await rig.find(CONFIGMAPS, INFO.namespace, INFO.name))?.data;
  return { rig, sync, data };
}

Deno.test("detachedSignature is that of kubeadm, byte for byte", async () => {
  const secret = (text: string) => new TextEncoder().encode(text);
  assertEquals(await detachedSignature("payload", { id: "abc123", secret: secret("tokenSecret") }), SIGNATURE);
  assertEquals(
    await detachedSignature("apiVersion: v1\nkind: Config\n", { id: "07401b", secret: secret("f395accd246ae52d") }),
    "eyJhbGciOiJIUzI1NiIsImtpZCI6IjA3NDAxYiJ9..V7vfbveur77TnlLQz-hsORPxM3IuWz8GI4hOaPAzkdk",
  );
});

Deno.test("syncSignatures signs with every token that may sign, and removes all other signatures", async () => {
  const plain = { kubeconfig: "payload" };
  const signed = { ...plain, [KEY]: SIGNATURE };
  const rows: readonly [string, Parameters<typeof setUp>[0], Readonly<Record<string, string>> | undefined][] = [
    ["no ConfigMap", { infos: [] }, undefined],
    ["not signed yet", {}, signed],
    ["signed already", { infos: [info(signed)] }, undefined],
    ["another signature", { infos: [info({ ...plain, [KEY]: "old signature" })] }, signed],
    ["a signature without its token", { infos: [info({ ...plain, [KEY]: "old signature" })], tokens: [] }, plain],
    ["no kubeconfig", { infos: [info({ other: "x" })] }, undefined],
    ["expires later", { tokens: [token({ expiration: "2026-01-01T01:00:00Z" })] }, signed],
    ["expired", { tokens: [token({ expiration: "2025-12-31T23:00:00Z" })] }, undefined],
    ["a malformed expiration", { tokens: [token({ expiration: "garbage" })] }, undefined],
    ["empty usage", { tokens: [token({ "usage-bootstrap-signing": "" })] }, undefined],
    ["false usage", { tokens: [token({ "usage-bootstrap-signing": "false" })] }, undefined],
    ["absent usage", { tokens: [token({ "usage-bootstrap-signing": undefined })] }, undefined],
    ["no token ID", { tokens: [token({ "token-id": undefined })] }, undefined],
    ["no token secret", { tokens: [token({ "token-secret": undefined })] }, undefined],
    ["another name", { tokens: [token({}, "abc123")] }, undefined],
    ["another token's name", { tokens: [token({}, "bootstrap-token-abc124")] }, undefined],
    ["others' keys", { infos: [info({ ...plain, "jws-kubeconfig-": "x", "jws-kubeconfig-zzz": "y", more: "z" })] }, {
      ...signed,
      more: "z",
    }],
    [
      "one cannot be read",
      { tokens: [{ ...token({}, "bootstrap-token-odd123"), data: { "token-id": "%" } }, token()] },
      signed,
    ],
  ];
  for (const [row, given, result] of rows) {
    const { rig, sync, data } = await setUp(given);
    using _ = rig;
    await sync();
    assertEquals(rig.requests, result ? [PUT] : [], row);
    if (result) assertEquals(await data(), result, row);
  }
});

Deno.test("syncSignatures: a conflict is not retried, any other failure is", async () => {
  for (const [code, fails] of [[409, false], [404, false], [500, true]] as const) {
    const { rig, sync } = await setUp();
    using _ = rig;
    rig.server.faults.add({ verb: "update", resource: "configmaps", status: { code } });
    if (fails) await assertRejects(sync);
    else await sync();
    assertEquals(rig.requests, [PUT]);
  }
});

Deno.test("Handlers of the signer queue one key, whatever changes", () => {
  const keys: string[] = [];
  const queue = { add: (key: string) => void keys.push(key) };
  const tokens = tokenHandler(queue, "kube-public/cluster-info");
  tokens.onAdd?.(token(), true);
  tokens.onUpdate?.(token(), token());
  tokens.onDelete?.(token());
  const configMaps = configMapHandler(queue);
  configMaps.onAdd?.(info(), true);
  configMaps.onUpdate?.(info(), info());
  configMaps.onDelete?.(info());
  assertEquals(keys, Array(5).fill("kube-public/cluster-info"));
});
