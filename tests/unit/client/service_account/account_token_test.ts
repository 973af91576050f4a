import { assertEquals, assertRejects } from "@std/assert";
import { ConnectionError, isForbidden, WriteRefusedError } from "../../../../src/client/mod.ts";
import { AccountToken } from "../../../../src/client/service_account/account_token.ts";
import { issueToken } from "../../../../src/client/service_account/issue_token.ts";
import { AccountsApi, refusal } from "./accounts_api.ts";
import { outcomeOf } from "../test_server.ts";

const ENSURED = ["GET serviceaccounts/a", "POST serviceaccounts/a/token"];

function setUp({ accounts = ["a"] }: { accounts?: readonly string[] } = {}) {
  const api = new AccountsApi();
  for (const account of accounts) api.accounts.add(account);
  const { world, world: { clock, log } } = api;
  const client = api.client();
  const issue = (signal: AbortSignal) => issueToken({ client, name: "a", clock, log, signal });
  return { api, token: new AccountToken({ world, name: "a", issue }), clock };
}

Deno.test("AccountToken: no token is requested before one is needed, then for an hour and no audience", async () => {
  const { api, token } = setUp();
  assertEquals(api.lines, []);
  assertEquals(await token.authorization(), "Bearer token-1");
  assertEquals(api.lines, ENSURED);
  const { spec, kind } = JSON.parse(api.seen[1].body);
  assertEquals([kind, spec], ["TokenRequest", { expirationSeconds: 3600 }]);
});

/** Seconds of life that the server gives, and seconds after which the token is renewed. */
const LIFETIMES: readonly (readonly [lifetime: number, renewedAfter: number, why: string])[] = [
  [3600, 2880, "what is asked for"],
  [7200, 5760, "a server that gives more"],
  [600, 480, "the least that a server gives"],
  [60, 480, "a server whose clock is behind"],
  [-3600, 480, "a server whose clock is an hour behind and more"],
];

for (const [lifetime, renewedAfter, why] of LIFETIMES) {
  Deno.test(`AccountToken: a token is renewed by the first request after the time for which it is to be used, ${renewedAfter} s for one of ${lifetime} s: ${why}`, async () => {
    const { api, token, clock } = setUp();
    api.lifetimeSeconds = lifetime;
    await token.authorization();
    await clock.advance(renewedAfter * 1000 - 1);
    assertEquals([await token.authorization(), api.lines.length], ["Bearer token-1", 2]);
    await clock.advance(1);
    assertEquals(api.lines.length, 2, "nobody needs it yet");
    assertEquals(await token.authorization(), "Bearer token-2");
    assertEquals(api.lines, [...ENSURED, ...ENSURED]);
    await clock.advance(renewedAfter * 1000 - 1);
    assertEquals(await token.authorization(), "Bearer token-2");
  });
}

Deno.test("AccountToken: requests that need one at the same time share one, the first and the second", async () => {
  const { api, token, clock } = setUp();
  for (const nth of [1, 2]) {
    const all = await Promise.all(Array.from({ length: 100 }, () => token.authorization()));
    assertEquals(new Set(all), new Set([`Bearer token-${nth}`]));
    assertEquals([api.issued, api.lines.length], [nth, nth * 2]);
    await clock.advance(2_880_000);
  }
});

Deno.test("issueToken: there are four tries, half a second, one second and two seconds apart", async () => {
  const { api, token, clock } = setUp();
  api.fault = (line) => line.startsWith("POST") ? refusal("Forbidden") : undefined;
  const outcome = outcomeOf(token.authorization());
  await clock.advance(3499);
  assertEquals(outcome.isSettled, false);
  await clock.advance(1);
  assertEquals(api.seen.map(({ atMs }) => atMs), [0, 0, 500, 500, 1500, 1500, 3500, 3500]);
  assertEquals(api.lines, [...ENSURED, ...ENSURED, ...ENSURED, ...ENSURED]);
  const { error } = outcome;
  assertEquals(
    error instanceof ConnectionError && error.message,
    "failed to get token for kube-system/a: it is Forbidden",
  );
  assertEquals(isForbidden(error), false, "it is no answer to the request that the token was for");
  assertEquals(clock.pendingTimers, 0);
  api.fault = () => undefined;
  assertEquals(await token.authorization(), "Bearer token-1");
});

Deno.test("issueToken: there are four tries, half a second, one second and two seconds apart, and before each the account is looked after anew", async () => {
  const { api, token, clock } = setUp();
  let tries = 0;
  api.fault = (line) => {
    if (!line.endsWith("/token") || tries++ > 0) return undefined;
    api.accounts.delete("a"); // somebody deletes it after we have looked
    return undefined;
  };
  const outcome = outcomeOf(token.authorization());
  await clock.advance(500);
  assertEquals(outcome.value, "Bearer token-1");
  const creating = ["GET serviceaccounts/a", "GET namespaces/kube-system", "POST serviceaccounts"];
  assertEquals(api.lines, [...ENSURED, ...creating, "POST serviceaccounts/a/token"]);
});

Deno.test("AccountToken creates a missing account, and a missing namespace before it", async () => {
  const { api, token } = setUp({ accounts: [] });
  api.namespaces.clear();
  assertEquals(await token.authorization(), "Bearer token-1");
  assertEquals(api.lines, [
    "GET serviceaccounts/a",
    "GET namespaces/kube-system",
    "POST namespaces",
    "POST serviceaccounts",
    "POST serviceaccounts/a/token",
  ]);
  assertEquals(JSON.parse(api.seen[3].body).metadata, { namespace: "kube-system", name: "a" });
});

Deno.test("AccountToken creates the account although it may neither see nor create namespaces", async () => {
  const { api, token } = setUp({ accounts: [] });
  api.fault = (line) => line.includes("namespaces") ? refusal("Forbidden") : undefined;
  assertEquals(await token.authorization(), "Bearer token-1");
  assertEquals(api.lines, [
    "GET serviceaccounts/a",
    "GET namespaces/kube-system",
    "POST serviceaccounts",
    "POST serviceaccounts/a/token",
  ]);
});

Deno.test("AccountToken takes the account that somebody else created meanwhile", async () => {
  const { api, token } = setUp({ accounts: [] });
  api.fault = (line) => {
    if (line === "POST serviceaccounts") api.accounts.add("a");
    return undefined;
  };
  assertEquals(await token.authorization(), "Bearer token-1");
  assertEquals(api.lines.slice(2), ["POST serviceaccounts", "GET serviceaccounts/a", "POST serviceaccounts/a/token"]);
});

Deno.test("AccountToken: while a token cannot be renewed the old one is used, and the next renewal comes ten seconds later", async () => {
  const { api, token, clock } = setUp();
  await token.authorization();
  await clock.advance(2_880_000);
  api.fault = () => refusal("InternalError");
  const outcome = outcomeOf(token.authorization());
  await clock.advance(3500);
  assertEquals([outcome.value, api.lines.length], ["Bearer token-1", 2 + 4]);
  assertEquals(api.world.log.lines.at(-1)?.message, "Unable to rotate token");
  await clock.advance(9_999);
  assertEquals([await token.authorization(), api.lines.length], ["Bearer token-1", 2 + 4]);
  api.fault = () => undefined;
  await clock.advance(1);
  assertEquals(await token.authorization(), "Bearer token-2");
});

Deno.test("AccountToken: a 401 drops the token that it was for, unless that is younger than a second", async () => {
  const { api, token, clock } = setUp();
  const first = await token.authorization();
  await clock.advance(999);
  token.refused(first);
  assertEquals(await token.authorization(), first);
  await clock.advance(1);
  token.refused("Bearer of somebody else");
  assertEquals(await token.authorization(), first);
  token.refused(first);
  assertEquals(await token.authorization(), "Bearer token-2");
  await clock.advance(1000);
  token.refused(first); // a late answer about the one before
  assertEquals([await token.authorization(), api.issued], ["Bearer token-2", 2]);
});

Deno.test("AccountToken does not go back to a token that was refused", async () => {
  const { api, token, clock } = setUp();
  const first = await token.authorization();
  await clock.advance(1000);
  token.refused(first);
  api.fault = () => refusal("InternalError");
  const outcome = outcomeOf(token.authorization());
  await clock.advance(3500);
  assertEquals(outcome.error instanceof ConnectionError, true);
});

Deno.test("AccountToken: a request that is given up waits no longer, and the token is still asked for on behalf of the others", async () => {
  const { api, token, clock } = setUp();
  api.fault = () => refusal("InternalError");
  const impatient = new AbortController();
  const [gone, patient] = [outcomeOf(token.authorization(impatient.signal)), outcomeOf(token.authorization())];
  await clock.advance(500);
  impatient.abort(new Error("given up"));
  api.fault = () => undefined;
  await clock.advance(0);
  assertEquals([gone.error, patient.isSettled], [impatient.signal.reason, false]);
  await clock.advance(1000);
  assertEquals(patient.value, "Bearer token-1");
  await assertRejects(() => token.authorization(impatient.signal), Error, "given up");
});

Deno.test("AccountToken: a request that is given up waits no longer; when nobody waits, the token is not asked for any more", async () => {
  const { api, token, clock } = setUp();
  api.fault = () => refusal("InternalError");
  const impatient = new AbortController();
  const gone = outcomeOf(token.authorization(impatient.signal));
  await clock.advance(100);
  impatient.abort();
  await clock.advance(0);
  assertEquals([gone.error, clock.pendingTimers], [impatient.signal.reason, 0]);
  await clock.advance(60_000);
  assertEquals(api.lines.length, 1);
  api.fault = () => undefined;
  assertEquals(await token.authorization(), "Bearer token-1");
});

Deno.test("issueToken: without the right to write nothing is tried again", async () => {
  const { api, token } = setUp();
  const refused = new WriteRefusedError({ method: "POST", url: "https://example.test/token" });
  api.fault = (line) => line.endsWith("/token") ? refused : undefined;
  assertEquals(await assertRejects(() => token.authorization()), refused);
  assertEquals(api.lines, ENSURED);
});

Deno.test("AccountToken makes do with the old token when this process may not write any more", async () => {
  const { api, token, clock } = setUp();
  await token.authorization();
  await clock.advance(2_880_000);
  api.fault = () => new WriteRefusedError({ method: "POST", url: "https://example.test/token" });
  assertEquals(await token.authorization(), "Bearer token-1");
});

Deno.test("AccountToken takes no answer without a token, or without an end", async () => {
  const { api, token, clock } = setUp();
  const answers: unknown[] = [{}, { status: { token: "t" } }, {
    status: { expirationTimestamp: "2027-01-01T00:00:00Z" },
  }];
  api.fault = (line) => line.endsWith("/token") && answers.length > 0 ? Response.json(answers.shift()) : undefined;
  const outcome = outcomeOf(token.authorization());
  await clock.advance(3500);
  assertEquals([outcome.value, answers.length], ["Bearer token-1", 0]);
});
