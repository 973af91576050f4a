import { assertEquals, assertRejects } from "@std/assert";
import { type Secret, SECRETS, type ServiceAccount, SERVICEACCOUNTS } from "../../../../src/api/mod.ts";
import { StatusError } from "../../../../src/client/mod.ts";
import type { ControllerSigner } from "../../../../src/controllers/mod.ts";
import { accountKey, readKey, secretKey } from "../../../../src/controllers/serviceaccount_token/keys.ts";
import { syncAccount, syncSecret } from "../../../../src/controllers/serviceaccount_token/sync.ts";
import { TokenSigner } from "../../../../src/controllers/serviceaccount_token/token_signer.ts";
import { base64, Rig } from "../token_secrets/rig.ts";
import { signerOf } from "./signers.ts";

const NAME = "kubernetes.io/service-account.name";
const UID = "kubernetes.io/service-account.uid";
const CA = "CA Data";
const ACCOUNT: ServiceAccount = { metadata: { namespace: "default", name: "default", uid: "12345" } };
const COMPLETE = { token: "ABC", namespace: "default", "ca.crt": CA };

function secretWith(data: Readonly<Record<string, string | undefined>>, more: Secret["metadata"] = {}): Secret {
  const annotations = { [NAME]: "default", [UID]: "12345" };
  return {
    metadata: { namespace: "default", name: "token-secret-1", uid: "23456", annotations, ...more },
    type: "kubernetes.io/service-account-token",
    data: base64(data),
  };
}

interface Given {
  readonly accounts?: readonly ServiceAccount[];
  /** On the server alone. */
  readonly newAccounts?: readonly ServiceAccount[];
  readonly secrets?: readonly Secret[];
  readonly rootCa?: string;
  readonly signer?: ControllerSigner;
}

async function setUp({ accounts = [], newAccounts = [], secrets = [], rootCa = CA, signer }: Given) {
  const rig = new Rig();
  const context = {
    world: rig.world,
    client: rig.client,
    accounts: await rig.cached(SERVICEACCOUNTS, accounts),
    secrets: await rig.cached(SECRETS, secrets),
    signer: new TokenSigner(signer ?? await signerOf("P-256"), "key"),
    rootCa: btoa(rootCa),
  };
  for (const account of newAccounts) await rig.store(SERVICEACCOUNTS, account);
  rig.requests.length = 0;
  return { rig, context, more: { signal: new AbortController().signal } };
}

async function requestsFor(secret: Secret, given: Given): Promise<string[]> {
  const { rig, context, more } = await setUp(given);
  using _ = rig;
  await syncSecret(readKey(secretKey(secret)), context, more);
  return rig.requests;
}

const GET = "GET secrets/token-secret-1";
const PUT = "PUT secrets/token-secret-1";
const DELETE = "DELETE secrets/token-secret-1";
const GET_ACCOUNT = "GET serviceaccounts/default";

Deno.test("syncSecret gives a Secret what it lacks, and nothing else", async () => {
  const rows: readonly [string, Readonly<Record<string, string | undefined>>, readonly string[]][] = [
    ["complete", COMPLETE, []],
    ["no token", { ...COMPLETE, token: undefined }, [GET, PUT]],
    ["no authority", { ...COMPLETE, "ca.crt": undefined }, [GET, PUT]],
    ["another authority", { ...COMPLETE, "ca.crt": "other" }, [GET, PUT]],
    ["no namespace", { ...COMPLETE, namespace: undefined }, [GET, PUT]],
    ["another namespace", { ...COMPLETE, namespace: "custom" }, []],
    ["an empty token", { ...COMPLETE, token: "" }, [GET, PUT]],
  ];
  for (const [row, data, requests] of rows) {
    const secret = secretWith({ ...data, more: "kept" });
    const { rig, context, more } = await setUp({ accounts: [ACCOUNT], secrets: [secret] });
    using _ = rig;
    await syncSecret(readKey(secretKey(secret)), context, more);
    assertEquals(rig.requests, requests, row);
    const found = (await rig.find(SECRETS, "default", "token-secret-1"))!;
    const { token, ...rest } = found.data!;
    const { token: before, ...wanted } = { ...COMPLETE, ...data };
    const namespace = wanted.namespace ?? "default";
    assertEquals(rest, base64({ ...wanted, namespace, "ca.crt": CA, more: "kept" }), row);
    if (before) assertEquals(atob(token), before, row);
    else assertEquals(atob(token).split(".").length, 3, row);
  }
});

Deno.test("syncSecret: neither a missing UID nor an authority that nobody configured is a reason to write", async () => {
  const unnamed = secretWith(COMPLETE, { annotations: { [NAME]: "default" } });
  assertEquals(await requestsFor(unnamed, { accounts: [ACCOUNT], secrets: [unnamed] }), []);
  const bare = secretWith({ ...COMPLETE, "ca.crt": undefined });
  assertEquals(await requestsFor(bare, { accounts: [ACCOUNT], secrets: [bare], rootCa: "" }), []);
});

Deno.test("syncSecret: a Secret whose account does not exist is deleted, if it is still the same Secret", async () => {
  const secret = secretWith(COMPLETE);
  const { rig, context, more } = await setUp({ secrets: [secret] });
  using _ = rig;
  await syncSecret(readKey(secretKey(secret)), context, more);
  assertEquals(rig.requests, [GET_ACCOUNT, DELETE]);
  assertEquals((rig.bodies.at(-1) as { preconditions: object }).preconditions, { uid: "23456" });
});

Deno.test("syncSecret: an account that the cache does not have yet, or another one of its name, is asked for", async () => {
  const secret = secretWith({});
  assertEquals(await requestsFor(secret, { newAccounts: [ACCOUNT], secrets: [secret] }), [GET_ACCOUNT, GET, PUT]);
  const older = { metadata: { ...ACCOUNT.metadata, uid: "old" } };
  assertEquals(await requestsFor(secret, { accounts: [older], secrets: [secret] }), [GET_ACCOUNT, DELETE]);
});

Deno.test("syncSecret: a Secret that is gone is taken off its account's list", async () => {
  const secret = secretWith(COMPLETE);
  assertEquals(await requestsFor(secret, {}), []);
  assertEquals(await requestsFor(secret, { accounts: [ACCOUNT] }), [GET_ACCOUNT]);
  const listing = { ...ACCOUNT, secrets: ["token-secret-1", "b", "token-secret-1"].map((name) => ({ name })) };
  const { rig, context, more } = await setUp({ accounts: [listing] });
  using _ = rig;
  await syncSecret(readKey(secretKey(secret)), context, more);
  assertEquals(rig.requests, [GET_ACCOUNT, "PUT serviceaccounts/default"]);
  assertEquals((await rig.find(SERVICEACCOUNTS, "default", "default"))!.secrets, [{ name: "b" }]);
  const successor = { ...listing, metadata: { ...listing.metadata, uid: "new" } };
  assertEquals(await requestsFor(secret, { accounts: [successor] }), []);
});

Deno.test("syncSecret: a Secret that has changed since is left for its event", async () => {
  const secret = secretWith({});
  const { rig, context, more } = await setUp({ accounts: [ACCOUNT], secrets: [secret] });
  using _ = rig;
  await rig.client.patch(SECRETS, { namespace: "default", name: "token-secret-1" }, {
    type: "merge",
    body: { metadata: { labels: { a: "b" } } },
  });
  rig.requests.length = 0;
  await syncSecret(readKey(secretKey(secret)), context, more);
  assertEquals(rig.requests, [GET]);
});

Deno.test("syncSecret: a conflict is not a failure, any other refusal is", async () => {
  for (const [code, fails] of [[409, false], [404, false], [500, true], [403, true]] as const) {
    const secret = secretWith({});
    const { rig, context, more } = await setUp({ accounts: [ACCOUNT], secrets: [secret] });
    using _ = rig;
    rig.server.faults.add({ verb: "update", resource: "secrets", status: { code } });
    const sync = () => syncSecret(readKey(secretKey(secret)), context, more);
    if (fails) await assertRejects(sync, StatusError);
    else await sync();
  }
});

Deno.test("syncSecret: a Secret that is gone, or immutable, when it is to be filled is left alone", async () => {
  const immutable = { ...secretWith({}), immutable: true };
  assertEquals(await requestsFor(immutable, { accounts: [ACCOUNT], secrets: [immutable] }), [GET]);
  const secret = secretWith({});
  const { rig, context, more } = await setUp({ accounts: [ACCOUNT], secrets: [secret] });
  using _ = rig;
  await rig.client.delete(SECRETS, { namespace: "default", name: "token-secret-1" });
  rig.requests.length = 0;
  await syncSecret(readKey(secretKey(secret)), context, more);
  assertEquals(rig.requests, [GET]);
});

Deno.test("syncSecret: no account has a name that is too long, and a malformed one is not asked for", async () => {
  const long = secretWith({}, { annotations: { [NAME]: "x".repeat(256 * 1024) } });
  assertEquals(await requestsFor(long, { secrets: [long] }), [DELETE]);
  assertEquals(secretKey(long).length < 400, true);
  const path = secretWith({}, { annotations: { [NAME]: "../pods" } });
  await assertRejects(() => requestsFor(path, { secrets: [path] }), Error, 'service account "../pods"');
  const none = secretWith({}, { annotations: {} });
  assertEquals(await requestsFor(none, { secrets: [none] }), []);
});

Deno.test("syncAccount: the tokens of an account that is gone are deleted, and no others", async () => {
  const token = secretWith(COMPLETE);
  const opaque = { ...secretWith(COMPLETE, { name: "opaque" }), type: "Opaque" };
  const foreign = secretWith(COMPLETE, { name: "foreign", annotations: { [NAME]: "default", [UID]: "other" } });
  const rows: readonly [readonly Secret[], readonly ServiceAccount[], readonly string[]][] = [
    [[token, opaque, foreign], [ACCOUNT], []],
    [[], [], []],
    [[token, opaque, foreign], [], [DELETE]],
    [[opaque], [], []],
    [[token], [{ metadata: { ...ACCOUNT.metadata, uid: "new" } }], [DELETE]],
  ];
  for (const [secrets, accounts, requests] of rows) {
    const { rig, context, more } = await setUp({ secrets, accounts });
    using _ = rig;
    await syncAccount(readKey(accountKey(ACCOUNT)), context, more);
    assertEquals(rig.requests, requests);
  }
});

Deno.test("syncAccount: a token that cannot be deleted keeps no other from being deleted", async () => {
  const secrets = ["a", "b", "c"].map((name) => secretWith(COMPLETE, { name, uid: name }));
  const { rig, context, more } = await setUp({ secrets });
  using _ = rig;
  rig.server.faults.add({ verb: "delete", resource: "secrets", name: "b", status: { code: 403 } });
  rig.server.faults.add({ verb: "delete", resource: "secrets", name: "c", status: { code: 409, reason: "Conflict" } });
  await assertRejects(() => syncAccount(readKey(accountKey(ACCOUNT)), context, more), StatusError);
  assertEquals(rig.requests, ["a", "b", "c"].map((name) => `DELETE secrets/${name}`));
});
