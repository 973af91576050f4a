import { assertEquals } from "@std/assert";
import { DeletedFinalStateUnknown } from "../../../../src/cache/mod.ts";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { type Namespace, NAMESPACES, type ServiceAccount, SERVICEACCOUNTS } from "../../../../src/api/mod.ts";
import { buildServiceAccountController } from "../../../../src/controllers/serviceaccount/mod.ts";
import { fakeContext } from "../context.ts";
import { RecordedClient } from "../recorded_client.ts";
import { FakeInformer } from "../garbage_collector/fake_informer.ts";
import { namespaceTerminating, statusError } from "../status_errors.ts";

const ACTIVE: Namespace = { metadata: { name: "ns" }, status: { phase: "Active" } };
const TERMINATING: Namespace = { metadata: { name: "ns" }, status: { phase: "Terminating" } };

function account(name: string): ServiceAccount {
  return { metadata: { name, namespace: "ns" } };
}

function setUp({ namespace, accounts = [], ensured = ["default", "managed"] }: {
  namespace?: Namespace;
  accounts?: readonly string[];
  ensured?: readonly string[];
}) {
  const world = new FakeWorld();
  const client = new RecordedClient(world);
  client.store(NAMESPACES, ACTIVE);
  const namespaces = new FakeInformer<Namespace>();
  const serviceAccounts = new FakeInformer<ServiceAccount>({ objects: accounts.map(account) });
  const informers = [[NAMESPACES, namespaces], [SERVICEACCOUNTS, serviceAccounts]] as const;
  const controller = buildServiceAccountController(fakeContext({ world, client, informers }), ensured);
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  const end = async () => {
    stop.abort();
    await running;
    assertEquals(world.clock.pendingTimers, 0);
  };
  if (namespace) namespaces.add(namespace);
  return { world, client, namespaces, serviceAccounts, end };
}

const CREATES = [
  { title: "an Active namespace without accounts", namespace: ACTIVE, accounts: [], creates: ["default", "managed"] },
  { title: "an Active namespace with one of them", namespace: ACTIVE, accounts: ["managed"], creates: ["default"] },
  { title: "an Active namespace with both", namespace: ACTIVE, accounts: ["default", "managed"], creates: [] },
  { title: "a Terminating namespace", namespace: TERMINATING, accounts: [], creates: [] },
  { title: "a namespace without a phase", namespace: { metadata: { name: "ns" } }, accounts: [], creates: [] },
];

for (const { title, namespace, accounts, creates } of CREATES) {
  Deno.test(`ServiceAccountController creates ${creates.join(" and ") || "nothing"} when ${title} is added`, async () => {
    const { world, client, end } = setUp({ namespace, accounts });
    await world.clock.advance(1);
    assertEquals(
      client.lines,
      creates.map((name) => `create serviceaccounts ns/${name} {"metadata":{"name":"${name}","namespace":"ns"}}`),
    );
    await end();
  });
}

Deno.test("ServiceAccountController creates what is missing when a namespace is updated", async () => {
  for (const [phase, creates] of [["Active", 1], ["Terminating", 0]] as const) {
    const { world, client, namespaces, end } = setUp({ namespace: TERMINATING, accounts: ["default"] });
    namespaces.update({ ...ACTIVE, status: { phase } });
    await world.clock.advance(1);
    assertEquals(client.calls.length, creates);
    await end();
  }
});

const DELETIONS = [
  { title: "of a namespace that is gone", namespace: undefined, rest: [], deleted: "default", creates: 0 },
  { title: "of an Active namespace", namespace: ACTIVE, rest: ["managed"], deleted: "default", creates: 1 },
  { title: "of a Terminating namespace", namespace: TERMINATING, rest: [], deleted: "default", creates: 0 },
  { title: "not ensured", namespace: ACTIVE, rest: ["default", "managed"], deleted: "other", creates: 0 },
];

for (const { title, namespace, rest, deleted, creates } of DELETIONS) {
  Deno.test(`ServiceAccountController makes ${creates} creates when account ${deleted} ${title} is deleted`, async () => {
    const { world, client, serviceAccounts, end } = setUp({ namespace, accounts: [...rest, deleted] });
    await world.clock.advance(1);
    client.calls.length = 0;
    serviceAccounts.delete(account(deleted));
    await world.clock.advance(1);
    assertEquals(client.calls.length, creates);
    await end();
  });
}

Deno.test("ServiceAccountController acts on an account whose deletion was missed", async () => {
  for (const known of [account("default"), undefined]) {
    const { world, client, serviceAccounts, end } = setUp({ namespace: ACTIVE, accounts: ["default", "managed"] });
    await world.clock.advance(1);
    serviceAccounts.delete(new DeletedFinalStateUnknown("ns/default", known));
    await world.clock.advance(1);
    assertEquals(client.calls.length, 1);
    await end();
  }
});

Deno.test("ServiceAccountController does nothing when accounts are added or updated", async () => {
  const { world, client, namespaces, serviceAccounts, end } = setUp({ accounts: ["default"] });
  serviceAccounts.add(account("other"));
  serviceAccounts.update({ ...account("default"), automountServiceAccountToken: false });
  await world.clock.advance(1);
  assertEquals(client.lines, []);
  assertEquals([namespaces.handlerOptions, serviceAccounts.handlerOptions], [
    [{ resyncPeriodMs: 0 }],
    [{ resyncPeriodMs: 0 }],
  ]);
  await end();
});

const REFUSALS = [
  { title: "the namespace is terminating", error: namespaceTerminating() },
  { title: "it exists already", error: statusError(409, "AlreadyExists") },
];

for (const { title, error } of REFUSALS) {
  Deno.test(`ServiceAccountController is content when ${title}`, async () => {
    const { world, client, end } = setUp({ namespace: ACTIVE, ensured: ["default"] });
    client.fail("create", error);
    await world.clock.advance(60_000);
    assertEquals(client.calls.length, 1);
    await end();
  });
}

Deno.test("ServiceAccountController retries any other refusal rate limited, after trying the other names", async () => {
  for (
    const error of [
      statusError(403, "Forbidden"),
      statusError(409, "Conflict"),
      statusError(500, "InternalError"),
      new Error("cannot get a token", { cause: statusError(409, "AlreadyExists") }),
    ]
  ) {
    const { world, client, end } = setUp({ namespace: ACTIVE });
    client.fail("create serviceaccounts ns/default", error, { times: 3 });
    await world.clock.advance(0);
    assertEquals(client.lines.map((call) => call.split(" ")[2]), ["ns/default", "ns/managed"]);
    const defaults = () => client.lines.filter((call) => call.includes("ns/default")).length;
    for (const [ms, expected] of [[4, 1], [1, 2], [10, 3], [20, 4], [60_000, 4]]) {
      await world.clock.advance(ms);
      assertEquals(defaults(), expected);
    }
    await end();
  }
});
