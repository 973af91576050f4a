import { assertEquals, assertRejects } from "@std/assert";
import { activities, type Activity, Client, type Write, type WriteNote } from "../../../src/client/mod.ts";
import { DEPLOYMENTS, NAMESPACES, PODS, SERVICEACCOUNTS } from "../../../src/api/mod.ts";
import { FakeWorld } from "../../../src/base/mod.ts";

class Listening implements Activity {
  readonly reads: string[] = [];
  readonly writes: WriteNote[] = [];

  read(resource: string, what: string, count: number): void {
    this.reads.push(`${resource} ${what} ${count}`);
  }

  wrote({ note }: Write): void {
    this.writes.push(note);
  }

  putOff(): void {}
}

function clientThatGets(answer: () => Response | Promise<Response>): Client {
  const transport = () => Promise.resolve(answer());
  return new Client({ world: new FakeWorld(), transport, server: "https://example.test", userAgent: "test" });
}

const answering = (body: unknown) => clientThatGets(() => Response.json(body));
const made = { metadata: { namespace: "shop", name: "web-x", resourceVersion: "7" } };
const written = { metadata: { resourceVersion: "7" } };
const ref = { namespace: "shop", name: "web" };

const WRITES: { name: string; write: (client: Client) => Promise<unknown>; expected: WriteNote }[] = [
  {
    name: "create with a made-up name",
    write: (client) => client.create(PODS, { metadata: { namespace: "shop", generateName: "web-" } }),
    expected: { verb: "create", resource: "pods", kind: "Pod", key: "shop/web-x", resourceVersion: "7" },
  },
  {
    name: "update of a status",
    write: (client) => client.updateStatus(DEPLOYMENTS, { metadata: { ...ref } } as never),
    expected: {
      verb: "update",
      resource: "deployments.apps",
      kind: "Deployment",
      key: "shop/web",
      subresource: "status",
      resourceVersion: "7",
    },
  },
  {
    name: "patch of an object in no namespace, whose name has a colon",
    write: (client) => client.patch(NAMESPACES, { name: "a:b" }, { type: "merge", body: {} }),
    expected: { verb: "patch", resource: "namespaces", kind: "Namespace", key: "a:b", resourceVersion: "7" },
  },
  {
    name: "delete",
    write: (client) => client.delete(PODS, ref),
    expected: { verb: "delete", resource: "pods", kind: "Pod", key: "shop/web", resourceVersion: "7" },
  },
  {
    name: "deletecollection",
    write: (client) => client.deleteCollection(PODS, { namespace: "shop" }),
    expected: { verb: "deletecollection", resource: "pods", kind: "Pod", key: "shop/*" },
  },
  {
    name: "creation of a subresource",
    write: (client) => client.createSubresource(SERVICEACCOUNTS, ref, { subresource: "token", body: {} }),
    expected: {
      verb: "create",
      resource: "serviceaccounts",
      kind: "ServiceAccount",
      key: "shop/web",
      subresource: "token",
      resourceVersion: "7",
    },
  },
];

for (const { name, write, expected } of WRITES) {
  Deno.test(`Client tells the work that is going on of a write: ${name}`, async () => {
    const work = new Listening();
    await activities.run(work, () => write(answering(name.startsWith("create ") ? made : written)));
    const { subresource, resourceVersion, error, ...rest } = expected;
    assertEquals(work.writes, [{ ...rest, subresource, resourceVersion, error }]);
  });
}

Deno.test("Client tells the version of a deleted object that lingers, whatever the object's annotations say", async () => {
  const annotations = { last: '{"metadata":{"resourceVersion":"666"}}' };
  const lingering = { kind: "Pod", metadata: { ...ref, resourceVersion: "7", annotations } };
  for (
    const [answer, version] of [[lingering, "7"], [{ kind: "Status", status: "Success", metadata: {} }, undefined]]
  ) {
    const work = new Listening();
    await activities.run(work, () => answering(answer).delete(PODS, ref));
    assertEquals(work.writes.map(({ resourceVersion }) => resourceVersion), [version]);
  }
});

Deno.test("Client tells the work that is going on why a write failed", async () => {
  for (
    const [answer, why] of [
      [
        () =>
          Response.json({ kind: "Status", apiVersion: "v1", status: "Failure", code: 409, message: "try again" }, {
            status: 409,
          }),
        "try again",
      ],
      [() => Promise.reject(new Error("no connection")), "no connection"],
    ] as const
  ) {
    const work = new Listening();
    await activities.run(work, () => assertRejects(() => clientThatGets(answer).delete(PODS, ref)));
    assertEquals(work.writes.map(({ key, error }) => [key, error]), [["shop/web", why]]);
  }
});

Deno.test("Client tells the work that is going on of reads from the API server", async () => {
  const work = new Listening();
  await activities.run(work, async () => {
    await answering(written).get(PODS, ref);
    await answering({ items: [made, made] }).list(PODS, { namespace: "shop", labelSelector: "a=b" });
  });
  assertEquals(work.reads, ["pods shop/web (live) 1", "pods namespace=shop a=b (live) 2"]);
});
