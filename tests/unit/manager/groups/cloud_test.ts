/** A group asks the cloud through the main thread, if a row of it declares that, and errors keep their meaning on the way. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeClock, settle } from "../../../../src/base/mod.ts";
import {
  CloudConflictError,
  CloudError,
  type CloudProvider,
  describe,
  ImplementedElsewhereError,
  InstanceNotFoundError,
  NotImplementedError,
  RetryError,
} from "../../../../src/cloud/mod.ts";
import { needsOf, UndeclaredNeedError } from "../../../../src/controllers/mod.ts";
import { CloudCalls } from "../../../../src/manager/groups/cloud_calls.ts";
import { Port } from "../../../../src/manager/groups/port.ts";
import { portCloud } from "../../../../src/manager/groups/port_supplies.ts";
import { PortServer } from "../../../../src/manager/groups/port_server.ts";
import { limited } from "../../../../src/manager/supplies/mod.ts";
import { FakeCloud } from "../../cloud/fake_cloud.ts";
import { GroupRig } from "./rig.ts";

const NEVER = new AbortController().signal;
const NODE = { metadata: { name: "n" } };

/** Both ends of a port, with copies of messages between them, as between threads. */
function connected(cloud?: CloudProvider) {
  const server: PortServer = new PortServer({
    port: { postMessage: (message) => queueMicrotask(() => port.receive(structuredClone(message))) },
    clock: new FakeClock(),
    cloud,
    access: {
      transport: () => {
        throw new Error("Nothing else is asked");
      },
    },
    signer: { publicKey: () => Promise.reject(), sign: () => Promise.reject() },
    folders: { make: () => Promise.reject(), remove: () => Promise.reject() },
    drivers: { find: () => Promise.reject(), call: () => Promise.reject() },
  });
  const port: Port = new Port({ postMessage: (message) => server.receive(structuredClone(message)) });
  return { port, server };
}

Deno.test("portCloud asks the cloud of the main thread, and its errors keep their meaning", async () => {
  const fake = new FakeCloud();
  fake.machines.set("n", { metadata: { providerID: "fake://n" } });
  const { port } = connected(fake.provider);
  const cloud = portCloud(port, describe(fake.provider));
  assertEquals(await cloud.instances!.instanceMetadata(NODE, NEVER), { providerID: "fake://n" });
  assertEquals([cloud.name, cloud.hasClusterId], ["fake", true]);
  for (
    const error of [
      new InstanceNotFoundError(),
      new NotImplementedError(),
      new ImplementedElsewhereError(),
      new CloudConflictError("somebody else changes it"),
      new RetryError("come back", 7000),
      new CloudError("no"),
    ]
  ) {
    fake.failures.set("instanceExists", error);
    const seen = await assertRejects(() => cloud.instances!.instanceExists(NODE, NEVER), CloudError, error.message);
    assertEquals(seen.constructor, error.constructor);
    if (seen instanceof RetryError) assertEquals(seen.afterMs, 7000);
  }
});

Deno.test("portCloud gives up a call at both ends when its signal aborts", async () => {
  const signals: AbortSignal[] = [];
  const fake = new FakeCloud();
  const { port, server } = connected({
    ...fake.provider,
    routes: {
      ...fake.provider.routes!,
      listRoutes: (_, signal) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    },
  });
  const cloud = portCloud(port, describe(fake.provider));
  const stop = new AbortController();
  const waiting = assertRejects(async () => void await cloud.routes!.listRoutes("c", stop.signal), Error, "enough");
  await settle();
  assertEquals(server.running, 1);
  stop.abort(new Error("enough"));
  await waiting;
  await settle();
  assertEquals([server.running, signals[0].aborted], [0, true]);
});

Deno.test("PortServer: only groups with a row that declares it may call the cloud. Its errors keep their meaning on the way", async () => {
  const fake = new FakeCloud();
  const { port } = connected();
  const cloud = portCloud(port, describe(fake.provider));
  await assertRejects(() => cloud.instances!.instanceExists(NODE, NEVER), UndeclaredNeedError);
  const supplies = { cloud: fake.provider } as Parameters<typeof limited>[0];
  assertEquals(limited(supplies, needsOf([{}])).cloud, undefined);
  assert(limited(supplies, needsOf([{ needs: { cloud: true } }])).cloud);
});

Deno.test("CloudCalls: without a provider every call is refused, and malformed ones always are", async () => {
  const call = { capability: "instances", method: "instanceExists", args: [NODE] } as const;
  await assertRejects(() => new CloudCalls(undefined).make(call, NEVER), UndeclaredNeedError);
  const calls = new CloudCalls(new FakeCloud().provider);
  for (const odd of [null, 1, {}, { capability: "instances" }, { ...call, args: "n" }, { ...call, method: {} }]) {
    await assertRejects(() => calls.make(odd as never, NEVER), CloudError, "not a valid call");
  }
  for (const method of ["constructor", "__proto__", "toString", "listRoutes"]) {
    await assertRejects(() => calls.make({ ...call, method }, NEVER), TypeError, "no such method");
  }
  assertEquals(await calls.make(call, NEVER), { answer: false });
});

Deno.test("CloudCalls: more than a thousand calls at a time are refused; a call that was given up counts until it has ended", async () => {
  const gate = Promise.withResolvers<boolean>();
  const fake = new FakeCloud();
  const calls = new CloudCalls({
    ...fake.provider,
    instances: { ...fake.provider.instances!, instanceExists: () => gate.promise },
  });
  const call = { capability: "instances", method: "instanceExists", args: [NODE] } as const;
  const stop = new AbortController();
  const waiting = Array.from({ length: 1000 }, () => calls.make(call, stop.signal));
  stop.abort();
  await assertRejects(() => calls.make(call, NEVER), CloudError, "1000 calls of this group are already waiting");
  gate.resolve(true);
  await Promise.all(waiting);
  assertEquals(await calls.make(call, NEVER), { answer: true });
});

Deno.test("a group whose row declares the cloud has it in its controllers' context, and another group has not", async () => {
  const fake = new FakeCloud();
  fake.machines.set("n", {});
  const found: Record<string, unknown> = {};
  const row = (name: string, isCloud: boolean) => ({
    name,
    needs: isCloud ? { cloud: true } : {},
    build: async ({ cloud }: { readonly cloud?: CloudProvider }) => {
      found[name] = cloud && await cloud.instances!.instanceExists(NODE, NEVER);
      return undefined;
    },
  });
  await using rig = new GroupRig({
    rows: [row("a-controller", true), row("b-controller", false)],
    assignments: [{ name: "a", controllers: ["a-controller"] }, { name: "b", controllers: ["b-controller"] }],
    cloud: fake.provider,
  });
  await rig.world.clock.advance(1000);
  assertEquals(found, { "a-controller": true, "b-controller": undefined });
});
