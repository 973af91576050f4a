import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeClock } from "../../../../src/base/mod.ts";
import type { Node, Service } from "../../../../src/api/mod.ts";
import {
  type CloudCall,
  CloudError,
  errorOf,
  failureOf,
  InstanceNotFoundError,
  providerBehind,
  RetryError,
} from "../../../../src/cloud/mod.ts";
import { CloudGuard } from "../../../../src/manager/cloud/cloud_guard.ts";
import { FakeCloud } from "../../cloud/fake_cloud.ts";

const NODE: Node = { metadata: { name: "n" } };
const SERVICE: Service = { metadata: { name: "s", uid: "1" } };
const ROUTE = { targetNode: "n", destinationCIDR: "10.0.0.0/24" };
const NEVER = new AbortController().signal;

function guarded(cloud: FakeCloud["provider"]) {
  const state = { mayWrite: true };
  const clock = new FakeClock();
  const guard = new CloudGuard({ clock, provider: cloud, mayWrite: () => state.mayWrite });
  return { clock, state, guard, cloud: guard.provider };
}

/** A cloud that answers every call so. */
const answering = (answer: (call: CloudCall, signal: AbortSignal) => unknown) =>
  providerBehind(
    { name: "odd", hasClusterId: true, capabilities: ["loadBalancers", "instances", "routes"] },
    (call, signal) => Promise.resolve(answer(call, signal)),
  );

Deno.test("CloudGuard: nothing that would change the cloud is called while this process may not write", async () => {
  const fake = new FakeCloud();
  fake.machines.set("n", {});
  const { cloud, state } = guarded(fake.provider);
  const changes = [
    () => cloud.loadBalancers!.ensureLoadBalancer("c", SERVICE, [NODE], NEVER),
    () => cloud.loadBalancers!.updateLoadBalancer("c", SERVICE, [NODE], NEVER),
    () => cloud.loadBalancers!.ensureLoadBalancerDeleted("c", SERVICE, NEVER),
    () => cloud.routes!.createRoute("c", "1", ROUTE, NEVER),
    () => cloud.routes!.deleteRoute("c", ROUTE, NEVER),
  ];
  for (const change of changes) await change();
  assertEquals(fake.requests.length, 5);
  state.mayWrite = false;
  for (const change of changes) {
    await assertRejects(async () => void await change(), CloudError, "this process may not write any more");
  }
  assertEquals(await cloud.instances!.instanceExists(NODE, NEVER), true, "what only reads may be asked");
  assertEquals(fake.requests.length, 6);
});

Deno.test("CloudGuard: a call that has not ended by its time limit fails, whatever the provider does; its signal aborts", async () => {
  const signals: AbortSignal[] = [];
  const { cloud, clock, guard } = guarded(answering((_, signal) => {
    signals.push(signal);
    return new Promise(() => {});
  }));
  for (
    const [call, limitMs, words] of [
      [() => cloud.instances!.instanceExists(NODE, NEVER), 60_000, "did not answer instanceExists within 60 s"],
      [
        () => cloud.loadBalancers!.ensureLoadBalancer("c", SERVICE, [], NEVER),
        900_000,
        "did not answer ensureLoadBalancer within 900 s",
      ],
      [() => cloud.routes!.createRoute("c", "1", ROUTE, NEVER), 300_000, "did not answer createRoute within 300 s"],
    ] as const
  ) {
    let failure: unknown;
    call().catch((error: unknown) => failure = error);
    await clock.advance(limitMs - 1);
    assertEquals([failure, guard.running], [undefined, 1]);
    await clock.advance(1);
    assert(failure instanceof CloudError && failure.message.includes(words));
    assertEquals([signals.at(-1)!.aborted, guard.running, clock.pendingTimers], [true, 0, 0]);
  }
});

Deno.test("CloudGuard: after close no call starts, and calls in progress are given up", async () => {
  const asked: string[] = [];
  const { cloud, clock, guard } = guarded(answering(({ method }) => {
    asked.push(method);
    return new Promise(() => {});
  }));
  const underWay = assertRejects(async () => void await cloud.routes!.listRoutes("c", NEVER), CloudError);
  guard.close();
  await underWay;
  await assertRejects(async () => void await cloud.instances!.instanceExists(NODE, NEVER), CloudError);
  assertEquals([asked, clock.pendingTimers, guard.running], [["listRoutes"], 0, 0]);
});

Deno.test("CloudGuard: an answer that makes no sense, or is too long, is an error; messages of errors are cut off after 4096 characters", async () => {
  let answer: unknown;
  const { cloud } = guarded(answering(() => {
    if (answer instanceof Error) throw answer;
    return answer;
  }));
  const calls: Record<string, () => Promise<unknown>> = {
    instanceExists: () => cloud.instances!.instanceExists(NODE, NEVER),
    instanceShutdown: () => cloud.instances!.instanceShutdown(NODE, NEVER),
    instanceMetadata: () => cloud.instances!.instanceMetadata(NODE, NEVER),
    getLoadBalancer: () => cloud.loadBalancers!.getLoadBalancer("c", SERVICE, NEVER),
    ensureLoadBalancer: () => cloud.loadBalancers!.ensureLoadBalancer("c", SERVICE, [], NEVER),
    listRoutes: () => cloud.routes!.listRoutes("c", NEVER),
  };
  const odd: [method: string, answers: unknown[]][] = [
    ["instanceExists", [undefined, null, 0, "false", {}]],
    ["instanceShutdown", [undefined, 1]],
    ["instanceMetadata", [undefined, "m", []]],
    ["getLoadBalancer", [undefined, 1, []]],
    ["ensureLoadBalancer", [undefined, null, "1.2.3.4"]],
    ["listRoutes", [undefined, null, {}, [null], [{ targetNode: "n" }], [{ targetNode: 1, destinationCIDR: "" }]]],
  ];
  for (const [method, answers] of odd) {
    for (answer of answers) await assertRejects(calls[method], CloudError, `answer to ${method} makes no sense`);
  }
  answer = [{ ...ROUTE, name: "x".repeat(17 * 1024 * 1024) }];
  await assertRejects(calls.listRoutes, CloudError, "is too long");
  answer = { providerID: "a://1", zone: undefined, toString: () => "odd" };
  assertEquals(await calls.instanceMetadata(), { providerID: "a://1" }, "what is left is plain data");
  answer = new RetryError("y".repeat(1_000_000), 7);
  const { kind, message, afterMs } = failureOf(await assertRejects(calls.ensureLoadBalancer));
  assertEquals([kind, message.length, afterMs], ["retry", 4099, 7]);
});

Deno.test("CloudGuard passes errors on as they are, and ends a call whose signal aborts with its reason", async () => {
  const fake = new FakeCloud();
  const { cloud, clock } = guarded(fake.provider);
  fake.failures.set("instanceExists", new InstanceNotFoundError());
  await assertRejects(() => cloud.instances!.instanceExists(NODE, NEVER), InstanceNotFoundError, "instance not found");
  const slow = guarded(answering(() => new Promise(() => {})));
  const stop = new AbortController();
  const waiting = assertRejects(
    async () => void await slow.cloud.routes!.listRoutes("c", stop.signal),
    Error,
    "no longer wanted",
  );
  stop.abort(new Error("no longer wanted"));
  await waiting;
  await assertRejects(async () => void await slow.cloud.routes!.listRoutes("c", stop.signal), Error, "no longer");
  assertEquals([clock.pendingTimers, slow.clock.pendingTimers], [0, 0]);
  assertEquals(errorOf({ kind: "other", message: "a" }).message, "a");
});
